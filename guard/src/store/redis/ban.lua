-- A ban that somebody sets; replaces one that is there. KEYS: the ban, the strikes. ARGV: the reason as JSON, the milliseconds, by whom.
-- Replies with the time.

--include clock.lua

local now = stamp + 0
call('DEL', KEYS[1], KEYS[2])
if ARGV[2] + 0 > 0 then
  local ban = '{"reason":%s,"since":%.0f,"until":%.0f,"by":"%s"}'
  call('SET', KEYS[1], (format(ban, ARGV[1], now, now + ARGV[2], ARGV[3])), 'PX', ARGV[2])
end
return now

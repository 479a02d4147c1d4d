-- A ban that somebody sets. KEYS: the ban, the strikes. ARGV: the reason as JSON, the milliseconds, by whom, and which ban that is
-- there it replaces: 'any', or a 'shorter' one. Replies with the time.

--include clock.lua
--include standing.lua

if ARGV[4] == 'shorter' then
  local left = standing(KEYS[1])
  if left and left >= ARGV[2] + 0 then
    return now
  end
end
call('DEL', KEYS[1], KEYS[2])
if ARGV[2] + 0 > 0 then
  local ban = '{"reason":%s,"since":%.0f,"until":%.0f,"by":"%s"}'
  call('SET', KEYS[1], (format(ban, ARGV[1], now, now + ARGV[2], ARGV[3])), 'PX', ARGV[2])
end
return now

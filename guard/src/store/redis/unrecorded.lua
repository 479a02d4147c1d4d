-- What has left must not seem to be there again after a step back of the clock: the newest member names the oldest one.
local newest = look.newest
if look.size > 0 and sub(newest, 17, 29) ~= look.first then
  call('ZREM', look.log, newest)
  call('ZADD', look.log, sub(newest, 1, 13), sub(newest, 1, 16) .. look.first .. sub(newest, 30))
end
-- Somebody may have taken the end of the key away. A log of one member was gone for a moment.
if call('PTTL', look.log) == -1 then
  call('PEXPIRE', look.log, look.life)
end

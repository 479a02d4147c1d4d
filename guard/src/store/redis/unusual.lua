-- Either it is no member of ours, or it is not older than this microsecond.
if #newest < 29 or string.find(newest, '%D') or sub(newest, 1, 13) > stamp then
  -- The log is written anew: what lies in the future came now, what is no member of ours becomes one.
  local old = call('ZRANGE', log, '0', '-1', 'WITHSCORES')
  local oldest
  call('DEL', log)
  for n = 2, #old, 2 do
    local score = format('%013.0f', math.max(math.min(old[n], stamp), 0))
    oldest = oldest or score
    newest = score .. '000' .. oldest .. format('%010d', n)
    call('ZADD', log, score, newest)
  end
  call('PEXPIRE', log, life)
end
if newest >= digits then
  head = sub(newest, 1, 16)
  tail = format('%010d', (tonumber(sub(newest, 30)) or 0) + 1)
end

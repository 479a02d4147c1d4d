-- The oldest member leaves, and most often it is the only one. By its score, which is a text already.
size = size - call('ZREMRANGEBYSCORE', log, '-inf', first)
local oldest = call('ZRANGE', log, '0', '0')[1]
if not oldest then
  first, reset = stamp, window
else
  first = sub(oldest, 1, 13)
  -- One that is not ours may begin with anything.
  reset = #oldest >= 29 and (tonumber(first) or 0) + window - stamp or 0
end
if reset <= 0 or reset > window then
  size = size - call('ZREMRANGEBYSCORE', log, '-inf', format('%.0f', stamp - window))
  local score = call('ZRANGE', log, '0', '0', 'WITHSCORES')[2]
  first = score and format('%013.0f', score) or stamp
  reset = first + window - stamp
end

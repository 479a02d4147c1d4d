-- The oldest member leaves, and most often it is the only one. By its score, which is a text already.
size = size - call('ZREMRANGEBYSCORE', log, '-inf', first)
local oldest = call('ZRANGE', log, '0', '0')[1]
if not oldest then
  first, reset = stamp, window
elseif #oldest >= 29 then
  first = sub(oldest, 1, 13)
  reset = first + window - stamp
end
if reset <= 0 then
  size = size - call('ZREMRANGEBYSCORE', log, '-inf', format('%.0f', stamp - window))
  local score = call('ZRANGE', log, '0', '0', 'WITHSCORES')[2]
  first = score and format('%013.0f', score) or stamp
  reset = first + window - stamp
end

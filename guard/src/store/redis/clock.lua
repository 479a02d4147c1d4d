-- The time: sixteen digits of microseconds, thirteen of milliseconds.
local sub, format = string.sub, string.format
local time = call('TIME')
local digits = time[1] .. time[2]
if #digits ~= 16 then
  digits = format('%010d%06d', time[1], time[2])
end
local stamp = sub(digits, 1, 13)

-- KEYS: a ban. Replies with the time, the milliseconds that are left of it and its value, or with nil.

--include clock.lua
--include standing.lua

local left, value = standing(KEYS[1])
return left and {now, left, value}

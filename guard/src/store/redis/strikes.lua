-- The strikes that a key holds. What others wrote may be any number, and that may be none.
local function strikes_in(key)
  local told = tonumber(redis.pcall('GET', key)) or 0
  return told >= 1 and math.min(math.floor(told), MOST_STRIKES) or 0
end

-- The same decision as it is usually written: keys and settings by name, every call in its turn, a list as the reply.
-- KEYS: ban, strikes, log. ARGV: requests, window, member, threshold, strike life, ban length, ban.
local ban_key, strikes_key, log_key = KEYS[1], KEYS[2], KEYS[3]
local requests = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
local member = ARGV[3]
local threshold = tonumber(ARGV[4])
local strike_life = tonumber(ARGV[5])
local ban_length = tonumber(ARGV[6])

if redis.call('EXISTS', ban_key) == 1 then
  return {2, 0, 0, 0}
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', log_key, 0, now - window)
redis.call('ZADD', log_key, now, now .. '-' .. member)
local count = redis.call('ZCARD', log_key)
redis.call('PEXPIRE', log_key, window)
local strikes = tonumber(redis.call('GET', strikes_key) or 0)
if count <= requests then
  return {0, requests - count, window, strikes}
end

strikes = redis.call('INCR', strikes_key)
redis.call('PEXPIRE', strikes_key, strike_life)
if strikes > threshold then
  redis.call('SET', ban_key, ARGV[7], 'PX', ban_length)
  redis.call('DEL', strikes_key, log_key)
  return {3, 0, ban_length, 0}
end
return {1, 0, window, strikes}

-- How a client stands. It only reads: what is over stays, and what a step back of the clock left in the future counts as of now.
--
-- KEYS: the strikes, the logs. ARGV: the life of strikes in milliseconds, then of each log how many quotas it has, and of each of them
-- requests and window. Replies with the strikes, what is left of their life, and of each quota what remains and the time until the reset.

--include clock.lua
--include strikes.lua

local now = stamp + 0
local at = 1
local function argument()
  at = at + 1
  return ARGV[at] + 0
end

local strikes, left = 0, call('PTTL', KEYS[1])
if left == -1 or left > 0 then
  strikes = strikes_in(KEYS[1])
  if left == -1 or left > ARGV[1] + 0 then
    left = ARGV[1] + 0
  end
end

local reply = {strikes, left}
for i = 2, #KEYS do
  local log = KEYS[i]
  local size = call('ZCARD', log)
  for _ = 1, argument() do
    local requests, window = argument(), argument()
    local count = size > 0 and call('ZCOUNT', log, '(' .. format('%.0f', now - window), '+inf') or 0
    local reset = window
    -- One request more than now is admitted when this one leaves.
    local rank = size - count + math.max(count - requests, 0)
    if rank < size then
      rank = format('%d', rank)
      local score = call('ZRANGE', log, rank, rank, 'WITHSCORES')[2]
      reset = math.max(math.min(score, now), 0) + window - now
    end
    reply[#reply + 1] = math.max(requests - count, 0)
    reply[#reply + 1] = reset
  end
end
return reply

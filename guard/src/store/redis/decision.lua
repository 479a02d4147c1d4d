-- Stage 7: the ban, the windows, the strikes, perhaps a new ban.
--
-- KEYS: the ban (if BANS or STRIKES), the strikes (if STRIKES), the logs. ARGV: of a threat its reason, as JSON.
-- Replies with a number for a clean request with one window, otherwise with a list; see reply.rs.
--
-- A log is a sorted set with a member for each request, its score the Unix milliseconds. A member is 29 digits: the
-- microseconds at which it came, and the score of what was the oldest member then. Each one is greater than all before.
-- So the newest one alone tells that the clock did not step back, when the next member leaves, and that the new
-- member is not there yet. Where several came in one microsecond, ten digits follow that count them.
--
-- What stands before the first `return` is the way of nearly all requests: each call and each conversion there is paid
-- for by all of them, therefore texts where numbers would do, no functions, no tables.

local held = 0
if BANS and STRIKES then
  held = call('EXISTS', KEYS[1], KEYS[2])
elseif BANS then
  held = call('EXISTS', KEYS[1])
elseif STRIKES then
  held = call('EXISTS', KEYS[2])
end
if held == 0 and LOGS == 0 and not THREAT and not EXCEEDED then
  return 0
end

--include clock.lua

if BANS and held > 0 then
  --include standing.lua
  local left, value = standing(KEYS[1])
  if left then
    return {BANNED, now, left, value}
  end
end

local looks
for i = 1, LOGS do
  local log = KEYS[BEFORE_LOGS + i]
  local window, life = WINDOW, LIFE
  if LIMITS then
    window, life = LIMITS[i].window, LIMITS[i].life
  end
  local size = call('ZCARD', log)
  local newest
  local head, first, tail, reset = digits, stamp, '', window
  if size > 0 then
    newest = call('ZRANGE', log, '-1', '-1')[1]
    if #newest ~= 29 or newest >= digits then
      --include unusual.lua
    end
    first = sub(newest, 17, 29)
    reset = first + window - stamp
    if reset <= 0 then
      --include leaving.lua
    end
  end

  if SCALE and held == 0 and size < REQUESTS and not EXCEEDED then
    call('ZADD', log, stamp, head .. first .. tail)
    call('PEXPIRE', log, life)
    return (REQUESTS - size - 1) * SCALE + reset
  end

  looks = looks or {}
  looks[i] = {log = log, size = size, newest = newest, head = head, first = first, tail = tail, life = life}
end

--include rules

local now = stamp + 0
local outcome = THREAT and VIOLATION or EXCEEDED and LIMITED or ADMITTED

-- When the member of that rank came. Of one that is not ours, only the score tells.
local function came(log, rank)
  local member = call('ZRANGE', log, rank, rank)[1]
  local at = sub(member, 1, 13)
  if #member < 29 or not tonumber(at) or at > stamp then
    local score = call('ZRANGE', log, rank, rank, 'WITHSCORES')[2]
    at = format('%013.0f', math.max(math.min(score, stamp), 0))
  end
  return at
end

-- All logs are looked at before anything is recorded in one of them.
local states = {}
for i = 1, LOGS do
  local look = looks[i]
  look.limit = LIMITS and LIMITS[i] or {most = REQUESTS + 1, {REQUESTS, WINDOW}}
  for _, quota in ipairs(look.limit) do
    local state = {look = look, requests = quota[1], window = quota[2], count = look.size}
    if look.size > 0 and look.first + state.window <= now then
      local since = '(' .. format('%.0f', now - state.window)
      state.count = call('ZCOUNT', look.log, since, '+inf')
    end
    if state.count >= state.requests then
      state.exceeded, look.exceeded, outcome = true, true, LIMITED
    end
    states[#states + 1] = state
  end
end

local recorded = outcome == ADMITTED or COUNT_REJECTED
for i = 1, LOGS do
  local look = looks[i]
  local excess = look.size + 1 - look.limit.most
  if not recorded then
    --include unrecorded.lua
  else
    if excess > 0 then
      call('ZREMRANGEBYRANK', look.log, '0', format('%d', excess - 1))
      look.size = look.size - excess
      look.first = look.size > 0 and came(look.log, '0') or stamp
    end
    call('ZADD', look.log, stamp, look.head .. look.first .. look.tail)
    call('PEXPIRE', look.log, look.life)
    look.size = look.size + 1
  end
end

local reply = {outcome, 0}
for _, state in ipairs(states) do
  local look, requests, reset = state.look, state.requests, state.window
  local count = math.min(state.count + (recorded and 1 or 0), look.size)
  -- One request more than now is admitted when this one leaves.
  local rank = look.size - count + math.max(count - requests, 0)
  if rank == 0 and count > 0 then
    reset = look.first + reset - now
  elseif rank < look.size then
    reset = came(look.log, format('%d', rank)) + reset - now
  end
  reply[#reply + 1] = math.max(requests - count, 0)
  -- What others did to the log may have made it seem older than it is.
  reply[#reply + 1] = math.max(reset, 1)
  reply[#reply + 1] = state.exceeded and 1 or 0
end

if not STRIKES then
  return reply
end

--include strikes.lua

local strikes, left = 0, STRIKE_TTL
if held > 0 then
  left = call('PTTL', KEYS[2])
  if left == 0 then
    -- Redis keeps a key through the millisecond in which it ends.
    call('DEL', KEYS[2])
  elseif left ~= -2 then
    strikes = strikes_in(KEYS[2])
    if left == -1 or left > STRIKE_TTL then
      -- The clock stepped back, or somebody took the end away: the last strike was now.
      left = STRIKE_TTL
      call('PEXPIRE', KEYS[2], STRIKE_LIFE)
    end
  end
end

local near = strikes > 0 and STRIKE_TTL - left < STRIKE_INTERVAL
if outcome ~= ADMITTED and not near then
  strikes = strikes + 1
  if strikes > THRESHOLD then
    local reason = THREAT and ARGV[1] or '"rate limit"'
    local ban = '{"reason":%s,"since":%.0f,"until":%.0f,"by":"automatic"}'
    call('SET', KEYS[1], (format(ban, reason, now, now + BAN)), 'PX', BAN_LIFE)
    local over = {KEYS[2]}
    for i = 1, LOGS do
      if looks[i].exceeded then
        over[#over + 1] = looks[i].log
      end
    end
    call('DEL', unpack(over))
    reply[1], strikes = NEWLY_BANNED, now
  else
    call('SET', KEYS[2], format('%.0f', strikes), 'PX', STRIKE_LIFE)
  end
end
reply[2] = strikes
return reply

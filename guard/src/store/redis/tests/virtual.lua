-- For tests: a clock of their own. The time in milliseconds is in a key. No key ends by itself; when
-- each of them would is noted in a hash, and those whose time is up are deleted before the script begins.
local call
do
  local real, now, ends = redis.call, redis.call('GET', 'virtual:now') + 0, 'virtual:ends'

  local function end_of(key)
    return tonumber(real('HGET', ends, key) or nil)
  end

  local function delete(key)
    real('HDEL', ends, key)
    return real('DEL', key)
  end

  local function set_end(key, millis)
    real('HSET', ends, key, string.format('%.0f', now + millis))
  end

  local commands = {
    TIME = function()
      local micros = now % 1000 * 1000
      if TICKING then
        micros = micros + real('INCR', 'virtual:ticks') % 1000
      end
      return {string.format('%.0f', math.floor(now / 1000)), string.format('%.0f', micros)}
    end,
    PTTL = function(key)
      if real('EXISTS', key) == 0 then
        return -2
      end
      local at = end_of(key)
      return at and math.max(at - now, 0) or -1
    end,
    PEXPIRE = function(key, millis)
      if real('EXISTS', key) == 0 then
        return 0
      end
      set_end(key, millis)
      return 1
    end,
    SET = function(key, value, px, millis)
      assert(px == 'PX')
      real('SET', key, value)
      set_end(key, millis)
    end,
    DEL = function(...)
      local deleted = 0
      for _, key in ipairs({...}) do
        deleted = deleted + delete(key)
      end
      return deleted
    end,
  }

  -- A key that is gone takes its end along.
  local function other(name, key, ...)
    local reply = real(name, key, ...)
    if real('EXISTS', key) == 0 then
      real('HDEL', ends, key)
    end
    return reply
  end

  call = function(name, ...)
    if commands[name] then
      return commands[name](...)
    end
    return other(name, ...)
  end

  for _, key in ipairs(KEYS) do
    local at = end_of(key)
    -- As Redis does it: a key is there through the millisecond in which it ends.
    if at and at < now then
      delete(key)
    elseif real('EXISTS', key) == 0 then
      real('HDEL', ends, key)
    end
  end
end

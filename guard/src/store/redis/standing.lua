local now = stamp + 0

-- The milliseconds that are left of a ban, and its value; nothing if there is no ban.
--
-- Whatever the key holds, and however long: it is a ban as long as the key is there. One without an end, because somebody took the
-- end away or set the key by hand, gets the one that its value tells, or else that of the longest ban there may be. After a step
-- back of the clock it is no longer than it was meant to be: one that lies in the future began now.
local function standing(key)
  local left = call('PTTL', key)
  if left == -2 then
    return nil
  elseif left == 0 then
    -- Redis keeps a key through the millisecond in which it ends.
    call('DEL', key)
    return nil
  end
  local value = redis.pcall('GET', key)
  if type(value) ~= 'string' then
    value = ''
  end
  local since, till = string.match(value, '"since":(%d+),"until":(%d+)')
  if left == -1 then
    left = LONGEST_BAN
    if since and till - since > 0 then
      left = math.min(till - now, left)
    end
    if left <= 0 then
      call('DEL', key)
      return nil
    end
    call('PEXPIRE', key, format('%.0f', left))
  end
  if since and since + 0 > now then
    left = math.max(math.min(left, till - since), 1)
    local moved = format('"since":%.0f,"until":%.0f', now, now + left)
    value = string.gsub(value, '"since":%d+,"until":%d+', moved, 1)
    call('SET', key, value, 'PX', format('%.0f', left))
  end
  return left, value
end

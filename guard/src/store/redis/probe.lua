-- Whether the server does what a decision needs. KEYS: one for this. Each command that any script calls is called here, for a user may be
-- allowed some and not others. The first that writes has to be one that needs memory: after that, Redis does not refuse any.
local key = KEYS[1]
call('TIME')
call('ZADD', key, '1', 'member')
call('PEXPIRE', key, '1000')
call('PTTL', key)
call('EXISTS', key)
call('ZCARD', key)
call('ZCOUNT', key, '1', '1')
call('ZRANGE', key, '0', '0')
call('ZREMRANGEBYRANK', key, '1', '1')
call('ZREMRANGEBYSCORE', key, '0', '0')
call('ZREM', key, 'member')
call('SET', key, '1', 'PX', '1000')
call('GET', key)
call('DEL', key)
return 1

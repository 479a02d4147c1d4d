-- Whether the server does what a decision needs: runs scripts, has the time, writes. KEYS: one for this.
call('TIME')
call('SET', KEYS[1], '1', 'PX', '1000')
return 1

-- Lifts a ban and clears the strikes. KEYS: the ban, the strikes. Replies with 1 if there was a ban, else with 0.
local left = call('PTTL', KEYS[1])
call('DEL', KEYS[1], KEYS[2])
return (left == -1 or left > 0) and 1 or 0

# Runs a command (the arguments after the first, which is its folder) for as long as somebody holds this script's standard
# input open. When that ends, and be it because its holder was killed, the command is killed and the folder removed.
#
# Says the command's process id on standard output. Then each line of input is the name of a signal: it is sent, and its
# name said. Ends when the command ends, with its status.

# Whatever ends the holder of the input also ends this script, through the input: not before that, for the command would go on.
trap '' HUP INT QUIT TERM

folder=$1
shift

# What runs in the background has no standard input of its own.
exec 3<&0
"$@" >&2 3<&- &
command=$!

(
    while read -r signal <&3; do
        kill -s "$signal" "$command" && echo "$signal"
    done
    # From here on, the end of the command must not stop this watcher.
    trap '' USR1
    # A stopped process obeys this one, too.
    kill -s KILL "$command"
    rm -rf "$folder"
) &
watcher=$!

exec 3<&-
echo "$command"
wait "$command"
status=$?
# Nobody may signal the process id of a command that has ended: it could be another's by now.
kill -s USR1 "$watcher"
wait "$watcher" 2>/dev/null
exit "$status"

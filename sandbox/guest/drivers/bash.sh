# Prepares the persistent shell. The supervisor then writes one line per call.
\builtin set +o history
\builtin shopt -s expand_aliases
\builtin trap - EXIT

# Makes $? what it was at the end of the last call.
__drydock_code() { \builtin return "$1"; }

# Sent at a call's deadline: leaves the command text wherever it is, without
# leaving the shell. return ends the innermost function or the sourced command;
# with extdebug a DEBUG trap that gives 2 does the same for each level above,
# up to the call's own file: two levels, and one more inside the function.
__drydock_unwind() { (( ${#BASH_SOURCE[@]} > 3 )) && \builtin return 2; \builtin return 0; }
\builtin trap '\builtin shopt -s extdebug; \builtin set -T; \builtin trap __drydock_unwind DEBUG; (( ${#BASH_SOURCE[@]} > 2 )) && \builtin return 124 2>/dev/null' RTMAX-1

#!/bin/sh
# Makes sure that the local engine has the runtime runsc (gVisor), and says what
# it changes. Says nothing when all is there. The engine is asked to read its
# configuration again; it is not stopped, and its containers go on.
#
#   DRYDOCK_RUNSC_ARGS    arguments of the runtime
#   DRYDOCK_DAEMON_JSON   the engine's configuration (/etc/docker/daemon.json)
#   DRYDOCK_DAEMON_PID    file with its process id (/var/run/docker.pid)
#   DRYDOCK_ENGINE_WAIT   seconds it may take to read it again (60)
set -eu

# ptrace works on every kernel and virtual machine. What sandboxes reach is their
# own loopback.
args=${DRYDOCK_RUNSC_ARGS:---platform=ptrace --network=none}
config=${DRYDOCK_DAEMON_JSON:-/etc/docker/daemon.json}
pidfile=${DRYDOCK_DAEMON_PID:-/var/run/docker.pid}
wait=${DRYDOCK_ENGINE_WAIT:-60}
before=$config.before-runsc

say() { echo "runsc: $*" >&2; }
fail() { say "$@"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

bounded=
if has timeout; then bounded="timeout 10"; fi

# registered asks the engine whether it has the runtime.
registered() {
	case $($bounded docker info --format '{{json .Runtimes}}' 2>/dev/null) in
	*'"runsc":'*) return 0 ;;
	esac
	return 1
}

install_runsc() {
	has apt-get || fail "gVisor is not installed and there is no apt-get to install it with: see docs/engines.md"
	say "installing gVisor (the package runsc)"
	said=$(export DEBIAN_FRONTEND=noninteractive
		apt-get -o DPkg::Lock::Timeout=300 update 2>&1 &&
		apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends runsc 2>&1) && return
	echo "$said" | tail -n 15 >&2
	fail "gVisor could not be installed: see docs/engines.md"
}

reload() {
	say "asking the engine (process $1) to read its configuration again, by SIGHUP"
	kill -HUP "$1" || fail "the engine could not be asked"
}

# restore undoes what was written, for an engine that does not take it.
restore() {
	if [ -e "$before" ]; then mv "$before" "$config"; else rm -f "$config"; fi
	reload "$1"
	fail "the engine did not take the runtime; $config is what it was"
}

if registered; then exit 0; fi
has docker || fail "there is no docker command to ask the engine with"
case ${DOCKER_HOST:-unix://} in
unix://*) ;;
*) fail "the engine is not on this machine: run this script where it is" ;;
esac
[ "$(id -u)" = 0 ] || fail "only root can add a runtime to the engine"
pid=$(cat "$pidfile" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] ||
	fail "no engine runs here: $pidfile names none"
has runsc || install_runsc

if [ -e "$config" ]; then
	say "adding the runtime runsc to $config, which is kept as $before"
	cp -p "$config" "$before"
else
	say "making $config with the runtime runsc"
	rm -f "$before"
fi
# Its own installer merges the runtime into whatever else is configured.
# shellcheck disable=SC2086 # several words are meant
said=$(runsc install --config_file="$config" --runtime=runsc -- $args 2>&1) ||
	fail "$config was not changed: $said"
reload "$pid"
deadline=$(($(date +%s) + wait))
until registered; do
	[ "$(date +%s)" -lt "$deadline" ] || restore "$pid"
	sleep 1
done
say "the engine has the runtime runsc ($args)"

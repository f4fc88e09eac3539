#!/bin/sh
# Makes sure that a container engine answers, and that images can be made where
# no registry does. Says nothing when all is there. As root on Debian or Ubuntu
# it installs and starts what is missing; elsewhere it says what to do.
#
#   DOCKER_HOST          the engine to use; one that is named is never replaced
#   DRYDOCK_ENGINE_WAIT  seconds that a started engine may take to answer (60)
#   DRYDOCK_ENGINE_LOG   where an engine started by this script logs
set -eu

wait=${DRYDOCK_ENGINE_WAIT:-60}
log=${DRYDOCK_ENGINE_LOG:-/var/log/dockerd.log}
host=${DOCKER_HOST:-unix:///var/run/docker.sock}
why=

say() { echo "engine: $*" >&2; }
fail() { say "$@"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

bounded=
if has timeout; then bounded="timeout 10"; fi

# answers asks the engine for its version, with the docker command or without,
# and keeps its complaint in $why. A daemon that hangs does not hang this.
answers() {
	if has docker; then
		why=$($bounded docker version 2>&1 >/dev/null)
	elif has curl; then
		case $host in
		unix://*) why=$(curl -fsS -m 10 --unix-socket "${host#unix://}" http://engine/version 2>&1 >/dev/null) ;;
		*) why=$(curl -fsS -m 10 "http://${host#*://}/version" 2>&1 >/dev/null) ;;
		esac
	else
		why="there is no docker command to ask it with"
		return 1
	fi
}

can_install() { [ "$(id -u)" = 0 ] && has apt-get; }

# apt installs packages, and shows what apt had to say only when it fails.
apt() {
	said=$(export DEBIAN_FRONTEND=noninteractive
		apt-get -o DPkg::Lock::Timeout=300 update 2>&1 &&
		apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" 2>&1) && return
	echo "$said" | tail -n 15 >&2
	return 1
}

# Without a registry images are bootstrapped. Ubuntu lacks Debian's keys.
ensure_mmdebstrap() {
	if has mmdebstrap || ! can_install; then return 0; fi
	say "installing mmdebstrap, which makes images where no registry answers"
	apt mmdebstrap debian-archive-keyring gpg ||
		say "mmdebstrap could not be installed; images need a registry then"
}

# fuse-overlayfs is what dockerd falls back to where the kernel's overlay does
# not work; its last resort copies whole images.
install_engine() {
	say "installing Docker (docker.io, iptables, fuse-overlayfs)"
	set -- docker.io iptables fuse-overlayfs ca-certificates
	if apt-cache show docker-cli >/dev/null 2>&1; then set -- "$@" docker-cli; fi
	apt "$@" || fail "Docker could not be installed"
}

start_engine() {
	if systemctl show --property=Version >/dev/null 2>&1; then
		say "starting Docker with systemd"
		show_log="journalctl --unit docker --no-pager --lines 15"
		systemctl start docker && return
	fi
	say "starting dockerd in the background, its log is $log"
	show_log="tail -n 15 $log"
	setsid dockerd >"$log" 2>&1 </dev/null &
}

await_engine() {
	deadline=$(($(date +%s) + wait))
	until answers; do
		[ "$(date +%s)" -lt "$deadline" ] || return 1
		sleep 1
	done
}

# explain says what somebody who may not install anything has to do.
explain() {
	case $why in
	*"permission denied"*)
		fail "this user may not use Docker: add it to the group docker and log in again, or be root" ;;
	esac
	fail "no container engine answers: install Docker 20.10 or newer and start it" \
		"(Debian, Ubuntu: apt-get install docker.io, as root), or set DOCKER_HOST"
}

make_engine() {
	if ! has dockerd || ! { has docker || has curl; }; then
		install_engine
		if answers; then return 0; fi # its package may have started it
	fi
	start_engine
	if await_engine; then return 0; fi
	$show_log >&2 || true
	fail "Docker was started but does not answer: $why"
}

if ! answers; then
	if [ -n "${DOCKER_HOST:-}${DOCKER_CONTEXT:-}" ]; then
		fail "nothing answers where DOCKER_HOST or DOCKER_CONTEXT point: $why"
	fi
	can_install || explain
	make_engine
fi
ensure_mmdebstrap

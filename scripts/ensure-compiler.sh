#!/bin/sh
# Makes sure that there is a C compiler, which Go's race detector links with.
# As root on Debian or Ubuntu it is installed; elsewhere the tests run without
# the race detector, and this says so.
set -eu

if command -v gcc >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "compiler: installing gcc, which the race detector needs" >&2
	export DEBIAN_FRONTEND=noninteractive
	if said=$(apt-get -o DPkg::Lock::Timeout=300 update 2>&1 &&
		apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends gcc libc6-dev 2>&1); then
		exit 0
	fi
	echo "$said" | tail -n 5 >&2
fi
echo "compiler: there is no gcc, so the tests run without the race detector" >&2

#!/bin/sh
# What an image needs besides its packages. Runs as root inside the image,
# whichever way the packages came in.
set -eu

groupadd --gid 1000 agent
useradd --uid 1000 --gid agent --create-home --shell /bin/bash agent
mkdir -p /workspace
chown agent:agent /workspace

# dpkg.cfg keeps these out, but not for the packages that came before it.
find /usr/share/man /usr/share/info -mindepth 1 -delete 2>/dev/null || true
find /usr/share/locale -mindepth 1 ! -name locale.alias -delete
find /usr/share/doc -type f ! -name copyright -delete
find /usr/share/doc -type d -empty -delete

rm -f /var/log/apt/* /var/log/dpkg.log /var/log/alternatives.log /var/cache/debconf/*-old

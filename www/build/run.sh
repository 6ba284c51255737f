#!/bin/sh
# Runs a script of this directory, and makes the stamp that it ends with: run.sh SCRIPT
# STAMP, in the top source directory. Fetches the npm packages first when they are missing
# or older than the lock file. No package script is run: esbuild's program comes in a
# platform package of its own.
set -eu

for tool in node npm; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "$2: $tool is missing; install it (Debian: nodejs npm)" \
			"or build from a release tarball, which has what this makes" >&2
		exit 1
	fi
done
mark=node_modules/.package-lock.json
if [ ! -f "$mark" ] || [ package-lock.json -nt "$mark" ]; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch "$mark"
fi
rm -f "$2"
node "www/build/$1"
touch "$2"

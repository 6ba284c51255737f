#!/bin/sh
# SPDX-License-Identifier: MIT
# stamp.sh DIR HEADER: what this program is made from, for lib/base/version.c. The header
# stays as it is if nothing has changed.
# stamp.sh --commit DIR: only the commit, for a release, which has no .git.
commit() {
	if [ -e "$1/.git" ]; then
		git -C "$1" describe --always --abbrev=12 --exclude='*' --dirty=+ 2>/dev/null
	else
		cat "$1/build-aux/commit" 2>/dev/null
	fi
}
if [ "$1" = --commit ]; then
	commit "$2"
	exit 0
fi
schema=0
for file in "$1"/sql/[0-9][0-9][0-9][0-9]-*.sql; do
	name=${file##*/}
	schema=${name%%-*}
done
{
	printf '#define LAMPLIGHTER_COMMIT "%s"\n' "$(commit "$1")"
	printf '#define LAMPLIGHTER_SCHEMA "%s"\n' "$schema"
} >"$2.$$"
if cmp -s "$2.$$" "$2"; then rm "$2.$$"; else mv "$2.$$" "$2"; fi

#!/bin/sh
# update-options.sh COMMAND FILE FORM: writes the option reference, as COMMAND
# prints it in FORM (--markdown, --man), between the markers of FILE.
set -eu
{
	sed '/BEGIN OPTIONS/q' "$2"
	"$1" list options "$3"
	sed -n '/END OPTIONS/,$p' "$2"
} >"$2.new"
mv "$2.new" "$2"

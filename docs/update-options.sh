#!/bin/sh
# SPDX-License-Identifier: MIT
# update-options.sh COMMAND FILE MARK LIST FORM: writes what COMMAND prints as
# LIST in FORM (options --man) between the markers BEGIN MARK and END MARK of FILE.
set -eu
{
	sed "/BEGIN $3/q" "$2"
	"$1" list "$4" "$5"
	sed -n "/END $3/,\$p" "$2"
} >"$2.new"
mv "$2.new" "$2"

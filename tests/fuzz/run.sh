# SPDX-License-Identifier: MIT
# The fuzzers, in a build of their own: each so many seconds, two side by side.
# Seeds are in tests/fuzz/corpus; what a run finds beside them stays in the build
# directory for the next one. An input that ends a target is kept there as a
# file, and is a failure. Sourced by tests/run.sh.
# shellcheck shell=bash disable=SC2154

# One row per target: name, largest input in bytes.
fuzzers='decode 16384
sse 16384
request 10000
yaml 8192
body 8192
schema 8192
mcp 16384
openapi 8192
multipart 8192
mail 16384
office 16384
page 16384
rtf 8192
text 8192
web 16384
sitemap 16384
robots 8192'

# fuzz_one SECONDS NAME MAX-BYTES: a slow machine is no hang, so a run may take
# a minute.
fuzz_one() {
	mkdir -p "$out/fuzz/$2"
	nice -n 10 "$build/fuzz/tests/fuzz/fuzz_$2" -max_total_time="$1" \
		-max_len="$3" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
		-dict="$top/tests/fuzz/tokens.dict" \
		-artifact_prefix="$out/fuzz/crash-$2-" "$out/fuzz/$2" \
		"$top/tests/fuzz/corpus/$2" >"$out/fuzz-$2.log" 2>&1 </dev/null ||
		echo "$2" >>"$out/fuzz/failed"
}

# fuzz_run SECONDS: builds and runs them all, perhaps beside a suite that mostly
# waits; what came of it is in files.
fuzz_run() {
	local name most
	mkdir -p "$out/fuzz"
	rm -f "$out/fuzz/failed" "$out/fuzz/ran" "$out/fuzz"/crash-*
	goals=fuzz-targets build_tree "$build/fuzz" "$out/build-fuzz.log" \
		--enable-fuzz CC=clang CXX=clang++ CXXFLAGS='-O1 -g' CFLAGS='-O1 -g' || return
	while read -r name most; do
		while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
			wait -n
		done
		fuzz_one "$1" "$name" "$most" &
	done <<<"$fuzzers"
	wait
	touch "$out/fuzz/ran"
}

# One result for each of the last run.
fuzz_tally() {
	local name most
	if [ ! -e "$out/fuzz/ran" ]; then
		tally build-fuzz 0 1 0 "$out/build-fuzz.log"
		return
	fi
	while read -r name most; do
		if grep -qx "$name" "$out/fuzz/failed" 2>/dev/null; then
			tally "fuzz-$name" 0 1 0 "$out/fuzz-$name.log"
			find "$out/fuzz" -name "crash-$name-*" -printf 'test: kept %p\n'
		else
			awk -v n="$name" '/^stat::number_of_executed_units/ { runs = $2 }
				/^stat::peak_rss_mb/ { mb = $2 }
				END { printf "test: fuzz-%s: %s runs, %s MB\n", n, runs, mb }' \
				"$out/fuzz-$name.log"
			tally "fuzz-$name" 1 0 0 "$out/fuzz-$name.log"
		fi
	done <<<"$fuzzers"
}

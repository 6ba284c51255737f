# SPDX-License-Identifier: MIT
# The test runner of ./lamp test: each suite is run, its results are counted,
# the last line says how many tests passed and failed. Sourced by lamp.
# shellcheck shell=bash disable=SC2154

passed=0 failed=0 skipped=0
full=false		# all API tests plain and under the sanitizers
unsteady=()		# tests that failed beside others and passed alone
out=$build/test
known=suppressions=$top/tests/tsan.supp
shards=18		# parts of a suite, of very different length
side_by_side=6		# of them: tests mostly wait

# tally SUITE PASSED FAILED SKIPPED LOG: add and show the result of one suite.
# A suite in which nothing ran is broken, not green. Of TAP the failures are
# shown: they may be far from the end.
tally() {
	local p=${2:-0} f=${3:-0} s=${4:-0}
	[ $((p + f + s)) -gt 0 ] || f=1
	measure
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf 'test: %-22s %5d passed, %d failed, %d skipped  (%d s, processor %d s)\n' \
		"$1" "$p" "$f" "$s" "$((SECONDS - suite_start))" \
		$((processor_s - suite_processor))
	if [ "$f" -gt 0 ]; then
		printf 'test: the end of %s:\n' "$5"
		if grep -q '^not ok' "$5"; then
			awk '/^(ok|# Subtest)/ { on = 0 } /^not ok/ { on = 1 } on' "$5"
		else
			tail -n 40 "$5"
		fi | head -n 120 | sed 's/^/    /'
	fi
}

# absent SUITE WHAT: a part that is not there fails in CI and is left out
# elsewhere.
absent() {
	echo "$2" >"$out/absent.log"
	if [ "${CI:-}" = true ]; then
		tally "$1" 0 1 0 "$out/absent.log"
	else
		echo "test: $1 skipped: $2"
		tally "$1" 0 0 1 "$out/absent.log"
	fi
}

# measure: to processor_s, the time of the processor that processes of this shell which have
# ended took, with all of theirs. A subshell has its own.
measure() {
	local file=$out/times.$BASHPID

	times >"$file"
	processor_s=$(awk 'NR == 2 { gsub("s", ""); split($1, u, "m"); split($2, s, "m")
		print int((u[1] + s[1]) * 60 + u[2] + s[2]) }' "$file")
}

begin() {
	suite_start=$SECONDS
	measure
	suite_processor=$processor_s
	echo "test: $1 ..."
}

# make_check NAME DIR [MAKE-ARGUMENT...]: automake's own suite, or some of it. As
# with the other suites, a few that failed run once more, alone; but what a
# sanitizer has reported stays a failure.
make_check() {
	local name=$1 dir=$2 file=$out/$1.log n
	shift 2
	begin "$name"
	make -C "$dir" -j"$(nproc)" check "$@" >"$file" 2>&1 </dev/null
	n=$(sed -n 's/^# \(PASS\|FAIL\|ERROR\|XPASS\|SKIP\): *\([0-9]*\)$/\1=\2/p' "$file" |
		tail -n 5)
	local PASS=0 FAIL=0 ERROR=0 XPASS=0 SKIP=0
	[ -z "$n" ] || declare $n
	if [ "$FAIL$ERROR$XPASS" != 000 ]; then
		n=$(grep -E '^(FAIL|ERROR|XPASS)' "$file")
		printf '%s\n' "$n" >>"$file"
		cp "$dir/test-suite.log" "$file.first"
		if [ "$name" = unit ] && [ $((FAIL + ERROR + XPASS)) -le 4 ] &&
			make -C "$dir" recheck >"$file.again" 2>&1 </dev/null; then
			unsteady+=($(awk '{ print $2 }' <<<"$n" | sort -u))
			PASS=$((PASS + FAIL)) FAIL=0 ERROR=0 XPASS=0
		fi
	fi
	tally "$name" "$PASS" $((FAIL + ERROR + XPASS)) "$SKIP" "$file"
}

# shard I/N NAME BUILD TESTS [PYTEST-OPTION...]: a part of tests/TESTS against one
# build, on a database of its own.
shard() {
	local part=$1 name=$2 dir=$3 tests=$4 file=$out/$2.${1%/*}
	shift 4
	LAMPLIGHTER_SHARD=$part LAMPLIGHTER_BUILD=$dir \
		PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$out/python \
		ASAN_OPTIONS=log_path=$out/$name.report:detect_stack_use_after_return=1 \
		UBSAN_OPTIONS=log_path=$out/$name.report:print_stacktrace=1 \
		TSAN_OPTIONS=log_path=$out/$name.report:second_deadlock_stack=1:$known \
		"$top/tests/unit/with-mariadb" /usr/bin/python3 -m pytest -q \
		-o cache_dir="$file.cache" --junitxml="$file.xml" "$@" \
		"$top/tests/$tests" >"$file.log" 2>&1 </dev/null
}

# again NAME SHARD ...: the few tests of a part that failed, once more and alone.
# What passes then fails only on a busy machine: it is counted as passed, and
# named at the end so that it is mended. Reports of sanitizers stay failures.
again() {
	local name=$1 i=$2 log=$out/$1.$2
	shift 2
	cp "$log.log" "$log.first.log"
	cp "$log.xml" "$log.first.xml"
	shard "0/1" "$name.again" "$@" --lf --lfnf=none
	/usr/bin/python3 - "$log.first.xml" "$out/$name.again.0.xml" "$log.xml" <<-'PY'
		import sys, xml.etree.ElementTree as tree
		first, second = (tree.parse(f) for f in sys.argv[1:3])
		one, two = (next(t.getroot().iter("testsuite")) for t in (first, second))
		bad = lambda s: int(s.get("failures")) + int(s.get("errors"))
		names = {f'{c.get("classname")}.{c.get("name")}' for c in one.iter("testcase")
		         if c.find("failure") is not None or c.find("error") is not None}
		if bad(two) or int(two.get("tests")) - int(two.get("skipped")) < len(names):
		    sys.exit(1)
		print("\n".join(sorted(names)))
		one.set("failures", "0")
		one.set("errors", "0")
		first.write(sys.argv[3])
	PY
}

# count_shards NAME: passed, failed and skipped of all its parts.
count_shards() {
	/usr/bin/python3 - $(seq -f "$out/$1.%g.xml" 0 $((shards - 1))) <<-'PY'
		import sys, xml.etree.ElementTree as tree
		passed = failed = skipped = 0
		for name in sys.argv[1:]:
		    try:
		        s = next(tree.parse(name).getroot().iter("testsuite")).attrib
		    except OSError:         # it did not come to its end
		        failed += 1
		        continue
		    bad = int(s["failures"]) + int(s["errors"])
		    failed += bad
		    skipped += int(s["skipped"])
		    passed += int(s["tests"]) - bad - int(s["skipped"])
		print(passed, failed, skipped)
	PY
}

# suite NAME BUILD TESTS [PYTEST-OPTION...]: all of it, in parts side by side,
# since tests mostly wait. Reports of the sanitizers are failures too, whichever
# process wrote them.
suite() {
	local name=$1 file=$out/$1.log i reports n once
	begin "$name"
	rm -rf "$out/$name".*.xml "$out/$name".*.log "$out/$name".*report.* \
		"$out/$name".*.cache
	for ((i = 0; i < shards; i++)); do
		while [ "$(jobs -rp | wc -l)" -ge $side_by_side ]; do
			wait -n
		done
		shard "$i/$shards" "$@" &
	done
	wait
	read -r _ n _ <<<"$(count_shards "$name")"
	# Not what an attacker may try until it works; under sanitizers, which are
	# slow, it is run for their reports.
	if [ "${n:-9}" -gt 0 ] && [ "${n:-9}" -le 3 ] && [ "$name" != security ]; then
		for ((i = 0; i < shards; i++)); do
			tail -n 1 "$out/$name.$i.log" | grep -Eq 'failed|error' || continue
			rm -rf "$out/$name.again.0.cache"
			cp -r "$out/$name.$i.cache" "$out/$name.again.0.cache" || continue
			once=$(again "$name" "$i" "${@:2}") || continue
			unsteady+=($once)
		done
	fi
	n=$(count_shards "$name")
	# Those that went well first: what failed is at the end.
	for ((i = 0; i < shards; i++)); do
		tail -n 1 "$out/$name.$i.log" | grep -q failed || cat "$out/$name.$i.log"
	done >"$file"
	for ((i = 0; i < shards; i++)); do
		tail -n 1 "$out/$name.$i.log" | grep -q failed && cat "$out/$name.$i.log"
	done >>"$file"
	reports=$(find "$out" -name "$name.report.*" -o -name "$name.again.report.*" |
		wc -l)
	if [ "$reports" -gt 0 ]; then
		head -n 40 "$(find "$out" -name "$name.*report.*" -print -quit)" >>"$file"
	fi
	set -- ${n:-0 1 0}
	tally "$name" "$1" $(($2 + reports)) "$3" "$file"
}

# build_sanitized NAME SANITIZERS: a second build, in its own directory.
build_sanitized() {
	build_tree "$build/$1" "$out/build-$1.log" --enable-developer \
		--enable-sanitize="$2" CFLAGS='-O1 -g'
}

# Both of them, in time that is left. What is not done is done, or told, later.
prepare_sanitize() {
	build_sanitized asan address,undefined
	build_sanitized tsan thread
}

build_with() {
	begin "build with $2 sanitizer"
	build_sanitized "$@" ||
		{ tally "build-$1" 0 1 0 "$out/build-$1.log"; return 1; }
}

. "$top/tests/fuzz/run.sh"
. "$top/tests/soak/run.sh"

fuzz_s=10 fuzzed=false
test_fuzz() {
	begin "fuzz, $fuzz_s s each"
	$fuzzed || fuzz_run $fuzz_s
	fuzz_tally
}
test_unit() { make_check unit "$build"; }
# The tarball is complete: it builds in another directory than its own, which is
# read-only, installs, and leaves nothing when it is uninstalled and cleaned. By clang,
# whose warnings are errors there; of the unit tests a few, since they are run above.
test_dist() {
	local file=$out/dist.log

	begin dist
	if XZ_OPT=-0 make -C "$build" -j"$(nproc)" distcheck check_DATA= TESTS="$distributed" \
		DISTCHECK_CONFIGURE_FLAGS="--enable-developer CC=clang CXX=clang++ \
		CFLAGS=-O0 CXXFLAGS=-O0" >"$file" 2>&1 </dev/null; then
		tally dist 1 0 0 "$file"
	else
		tally dist 0 1 0 "$file"
	fi
}
distributed="tests/unit/test_base tests/unit/test_conf tests/unit/test_sse
	tests/check/layers.py tests/check/tables.py"
# Beside the sanitizers, only what these leave out, unless all of it is asked for.
test_api() {
	if ! $full && [[ " ${suites[*]} " == *" sanitize "* ]]; then
		suite api "$build" api -m long
	else
		suite api "$build" api
	fi
}
# What an attacker found, and would try. The sanitizers run all of it.
test_security() {
	if $full || [[ " ${suites[*]} " != *" sanitize "* ]]; then
		suite security "$build" security
	fi
}
# The pages "add a …" of docs, each in a copy that compiles: in two parts.
test_examples() {
	local shards=2

	suite examples "$build" examples
}
# Three Galera nodes, which are as much as two cores bear: in one part. Most of
# the time is spent waiting for what a node does, so the fuzzers and the compiler
# have it.
test_cluster() {
	local shards=1

	if [[ ${suites[*]} == *cluster*fuzz* ]]; then
		{
			renice -n 10 $BASHPID >/dev/null
			fuzz_run $fuzz_s
			[[ ${suites[*]} != *sanitize* ]] || prepare_sanitize
		} &
		fuzzed=true
	fi
	# The soak prints the figures of each storm.
	suite cluster "$build" cluster ${LAMPLIGHTER_STORMS:+-rP}
}
# Of it, what ./lamp soak cluster-keys does many times.
test_cluster_keys() {
	local shards=1

	suite cluster-keys "$build" cluster/test_keys.py -rP
}
# lighttpd, Apache and nginx, each with its samples from conf/.
test_servers() { suite servers "$build" servers; }

# What has threads of its own, for the thread sanitizer.
threaded="tests/unit/test_http tests/unit/test_http_loop tests/unit/test_llm_stream
	tests/unit/test_turn tests/unit/test_turn_wait tests/unit/test_prompt
	tests/unit/test_worker tests/unit/test_conf tests/unit/run-db-tests"

test_sanitize() {
	local short=() threads=threads

	# Those that take long run without; their C runs in others, too.
	if ! $full; then
		short=(-m 'not long') threads='threads and not long'
	fi
	if build_with asan address,undefined; then
		make_check unit-asan "$build/asan" CHECKS=
		suite api-asan "$build/asan" api "${short[@]}"
		suite security-asan "$build/asan" security
		stress stress-asan "$build/asan" 15
	fi
	if build_with tsan thread; then
		TSAN_OPTIONS=$known make_check unit-tsan "$build/tsan" \
			TESTS="$threaded"
		suite api-tsan "$build/tsan" api -m "$threads"
		suite security-tsan "$build/tsan" security -m threads
		stress stress-tsan "$build/tsan" 15
	fi
}

# npm_packages: what tests/package-lock.json names, among it the Node.js that runs
# them. The one of the system only builds the page.
npm_packages() {
	local mark=$top/tests/node_modules/.package-lock.json

	[ ! -f "$mark" ] || [ "$top/tests/package-lock.json" -nt "$mark" ] || return 0
	note packages "from npm, for tests"
	(cd "$top/tests" && npm ci --ignore-scripts --no-audit --no-fund \
		--loglevel=error && touch "$mark") >"$out/npm.log" 2>&1 </dev/null ||
		die_log "the npm packages of tests cannot be installed" "$out/npm.log"
}

# node_tests URL CONCURRENCY FILE...: Node's own runner; its TAP goes to $tap.
node_tests() {
	local url=$1 wide=$2 node
	shift 2
	node=$(echo "$top"/tests/node_modules/node-linux-*/bin/node)
	(
		# a test that failed may leave a stream open, which keeps its process
		cd "$top" && LAMPLIGHTER_URL=$url "$node" --test --test-force-exit \
			--test-concurrency="$wide" --test-reporter=tap --test-reporter-destination="$tap" "$@" </dev/null
	)
}

# count_tap FILE: "pass=N fail=N ..." of its closing lines.
count_tap() {
	sed -n 's/^# \(pass\|fail\|cancelled\|skipped\) \([0-9]*\)$/\1=\2/p' "$1" \
		2>/dev/null
}

# pages NAME URL BROWSER FILE...: tests of the page in a browser, with their result.
pages() {
	local name=$1 url=$2 file=$out/$1.log tap=$out/$1.tap n tests
	local -x LAMPLIGHTER_BROWSER=$3
	shift 3
	node_tests "$url" 3 "$@" >>"$file" 2>&1
	cat "$tap" >>"$file" 2>/dev/null
	n=$(count_tap "$tap")
	local pass=0 fail=0 cancelled=0 skipped_here=0
	[ -z "$n" ] || declare ${n/skipped=/skipped_here=}
	# As with the other suites: the files of a few that failed, once more alone.
	if [ $((fail + cancelled)) -gt 0 ] && [ $((fail + cancelled)) -le 3 ]; then
		tests=$(sed -n "s/^ *location: '\(.*\.test\.mjs\):.*/\1/p" "$tap" | sort -u)
		if [ -n "$tests" ] && node_tests "$url" 1 $tests >>"$file" 2>&1; then
			unsteady+=("${tests//$'\n'/ }")
			pass=$((pass + fail + cancelled)) fail=0 cancelled=0
		fi
		cat "$tap" >>"$file" 2>/dev/null
	fi
	tally "$name" "$pass" $((fail + cancelled)) "$skipped_here" "$file"
}

# pages_up NAME: sets url, of a deployment for the tests of the page, with the demo model.
pages_up() {
	LAMP_VAR=$out/var "$top/lamp" up --yes --llm demo >"$out/$1.log" 2>&1 </dev/null
	url=$(sed -n 's/^lamp: .*running: \(http.*\)$/\1/p' "$out/$1.log")
	[ -n "$url" ] || { tally "$1" 0 1 0 "$out/$1.log"; return 1; }
}

pages_down() { LAMP_VAR=$out/var "$top/lamp" down >>"$out/$1.log" 2>&1 </dev/null; }

# The page in Chromium, and its everyday ways in Firefox, unless the suite firefox does all of it.
test_browser() {
	local url

	begin browser
	have cmd chromium-headless-shell ||
		{ absent browser "chromium-headless-shell is not installed"; return; }
	pages_up browser || return
	pages browser "$url" chromium "$top"/tests/browser/*.test.mjs
	if [[ " ${suites[*]} " != *" firefox "* ]]; then
		begin firefox
		rm -f "$out/firefox.log"
		! firefox_fits ||
			pages firefox "$url" firefox $(printf "$top/tests/browser/%s.test.mjs " $everyday)
	fi
	lighthouse_once "$url"
	pages_down browser
}
everyday="chat drafts reattach artifacts"

# firefox_fits: whether there is a Firefox that Playwright can drive, else says why not. Debian 12
# without its security updates has 140.
firefox_fits() {
	local version

	have cmd firefox-esr || { absent firefox "firefox-esr is not installed"; return 1; }
	version=$(firefox-esr --version 2>/dev/null | grep -o '[0-9]*' | head -1)
	[ "${version:-0}" -ge "$oldest_firefox" ] && return
	echo "test: firefox skipped: Firefox $version is older than $oldest_firefox" | tee "$out/firefox.log"
	tally firefox 0 0 1 "$out/firefox.log"
	return 1
}
oldest_firefox=143	# has network.addDataCollector, with which Playwright 1.60 begins

# The page in Firefox; atspi.test.mjs always is, and unit.test.mjs is in no browser.
test_firefox() {
	local url

	begin firefox
	firefox_fits || return
	pages_up firefox || return
	pages firefox "$url" firefox $(find "$top/tests/browser" -name '*.test.mjs' \
		! -name atspi.test.mjs ! -name unit.test.mjs | sort)
	pages_down firefox
}

# lighthouse_once URL: its report of the page, when no test asks for it any more. How fast the
# page is depends on the machine, too, and is only told.
lighthouse_once() {
	local file=$out/lighthouse.log node
	begin lighthouse
	node=$(echo "$top"/tests/node_modules/node-linux-*/bin/node)
	if LAMPLIGHTER_URL=$1 "$node" "$top/tests/bench/lighthouse.mjs" once \
		"$out/lighthouse.html" >"$file" 2>&1 </dev/null; then
		sed -n 's/^performance: .*/test: lighthouse: &/p' "$file"
		tally lighthouse 1 0 0 "$file"
	else
		tally lighthouse 0 1 0 "$file"
	fi
}

# Real clients from npm against a deployment of tests/lab.py.
test_clients() {
	local file=$out/clients.log tap=$out/clients.tap n
	begin clients
	LAMPLIGHTER_BUILD=$build "$top/tests/clients/run" --test-reporter=tap \
		--test-reporter-destination="$tap" >"$file" 2>&1 </dev/null
	cat "$tap" >>"$file" 2>/dev/null
	n=$(count_tap "$tap")
	local pass=0 fail=0 cancelled=0 skipped_here=0
	[ -z "$n" ] || declare ${n/skipped=/skipped_here=}
	tally clients "$pass" $((fail + cancelled)) "$skipped_here" "$file"
}

# Suites that want the processors, each run beside one that mostly waits.
declare -A beside=([api]=dist [servers]=examples)

# aside SUITE: run it in the background, with less priority. The suite in front waits
# for it as for its own parts; then tally_aside shows and counts what it found.
aside() {
	{
		renice -n 10 $BASHPID >/dev/null
		passed=0 failed=0 skipped=0 unsteady=()
		"test_$1"
		declare -p passed failed skipped unsteady | sed 's/^declare \(-a\|--\) /aside_/' \
			>"$out/aside.$1"
	} >"$out/aside.$1.log" 2>&1 &
}

tally_aside() {
	local aside_passed=0 aside_failed=1 aside_skipped=0 aside_unsteady=()

	wait
	cat "$out/aside.$1.log"
	[ ! -s "$out/aside.$1" ] || . "$out/aside.$1"
	passed=$((passed + aside_passed)) failed=$((failed + aside_failed))
	skipped=$((skipped + aside_skipped)) unsteady+=("${aside_unsteady[@]}")
}

run_tests() {
	local one two suites=("$@") start=$SECONDS ran=' '
	[ "${suites[0]:-}" != full ] || full=true
	case ${suites[0]:-} in '' | all | full)
		suites=(unit api dist security servers examples cluster clients browser fuzz sanitize)
		! $full || suites+=(firefox) ;;
	esac
	for one in "${suites[@]}"; do
		case $one in
		unit | dist | api | security | examples | cluster | servers | clients | browser | firefox | fuzz | sanitize) ;;
		*) die "there is no test suite named $one" ;;
		esac
	done
	# Tests talk to the stand-in model only.
	unset OPENAI_API_KEY ANTHROPIC_API_KEY OPENROUTER_API_KEY LAMPLIGHTER_MODEL
	mkdir -p "$out"
	build_all
	npm_packages
	rm -f "$out"/aside.*
	for one in "${suites[@]}"; do
		[[ $ran != *" $one "* ]] || continue
		two=${beside[$one]:-}
		if [ -n "$two" ] && [[ " ${suites[*]} " == *" $two "* && $ran != *" $two "* ]]; then
			aside "$two"
			"test_$one"
			tally_aside "$two"
			ran+="$two "
		else
			"test_$one"
		fi
		ran+="$one "
	done
	summary "$start"
}

# summary START: the last lines; fails when a test did, or none ran.
summary() {
	local one
	echo "test: $((SECONDS - $1)) s, logs in $out"
	for one in "${unsteady[@]}"; do
		echo "test: failed next to others, but passed alone: $one"
	done
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

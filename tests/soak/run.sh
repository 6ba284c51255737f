# SPDX-License-Identifier: MIT
# ./lamp soak, and the short stress of ./lamp test sanitize. Sourced by
# tests/run.sh.
# shellcheck shell=bash disable=SC2154

# stress NAME BUILD SECONDS: mixed clients, swaps and kills; see stress.py. A
# report of a sanitizer, whichever process wrote it, is a failure.
stress() {
	local name=$1 file=$out/$1.log ok=1 reports
	begin "$name, $3 s"
	rm -f "$out/$name".report.*
	LAMPLIGHTER_BUILD=$2 PYTHONDONTWRITEBYTECODE=1 \
		ASAN_OPTIONS=log_path=$out/$name.report:detect_stack_use_after_return=1 \
		UBSAN_OPTIONS=log_path=$out/$name.report:print_stacktrace=1 \
		TSAN_OPTIONS=log_path=$out/$name.report:second_deadlock_stack=1:$known \
		"$top/tests/unit/with-mariadb" /usr/bin/python3 \
		"$top/tests/soak/stress.py" "$3" >"$file" 2>&1 </dev/null || ok=0
	reports=$(find "$out" -name "$name.report.*" | wc -l)
	if [ "$reports" -gt 0 ]; then
		head -n 40 "$(find "$out" -name "$name.report.*" -print -quit)" >>"$file"
	fi
	[ "$ok" = 0 ] || tail -n 1 "$file"
	tally "$name" "$ok" $((1 - ok + reports)) 0 "$file"
}

# soak_script NAME NUMBER: tests/soak/NAME.py with a database of its own.
soak_script() {
	build_all
	begin "$1"
	if LAMPLIGHTER_BUILD=$build "$top/tests/unit/with-mariadb" /usr/bin/python3 \
		"$top/tests/soak/$1.py" "$2" >"$out/$1.log" 2>&1; then
		tally "$1" 1 0 0 "$out/$1.log"
	else
		tally "$1" 0 1 0 "$out/$1.log"
	fi
	tail -n 3 "$out/$1.log"
}

# run_soak fuzz|stress [SECONDS]: an hour of each fuzzer, ten minutes of stress
# under each sanitizer. run_soak cluster [TIMES]: each storm twenty times. run_soak
# cluster-keys [KEYS]: a thousand keys and twice as many decisions on three nodes.
# run_soak steps [MB]: the work of the functions that read text, over two MiB and four.
# run_soak projects [CHANGES]: of a tree by four writers; and what the time of an answer tells.
# run_soak plans [SECONDS]: plans whose process is killed at random moments.
# run_soak leases [KILLS]: the same with leases that end by themselves, and nobody who looks.
# run_soak reader [SECONDS]: readers of a turn of 10,000 events that stop reading for so long.
# run_soak files [NUMBER]: files at random, read by us and by others; seven of each.
run_soak() {
	local start=$SECONDS what=${1:-} seconds=${2:-}
	[[ $seconds =~ ^[0-9]*$ ]] && [ $# -le 2 ] ||
		{ usage >&2; die "soak WHAT [NUMBER]"; }
	mkdir -p "$out"
	case $what in
	fuzz)
		begin fuzz
		fuzz_run "${seconds:-3600}"
		fuzz_tally ;;
	stress)
		case $sanitize in
		'' | thread | address,undefined) ;;
		*) die "--sanitize is address,undefined or thread" ;;
		esac
		[ "$sanitize" = thread ] ||
			{ build_with asan address,undefined &&
				stress stress-asan "$build/asan" "${seconds:-600}"; }
		[ "$sanitize" = address,undefined ] ||
			{ build_with tsan thread &&
				stress stress-tsan "$build/tsan" "${seconds:-600}"; } ;;
	cluster)
		build_all
		LAMPLIGHTER_STORMS=${seconds:-20} test_cluster ;;
	cluster-keys)
		build_all
		LAMPLIGHTER_KEYS=${seconds:-1000} \
			LAMPLIGHTER_DECISIONS=$((2 * ${seconds:-1000})) test_cluster_keys ;;
	files)
		command -v soffice >/dev/null && command -v pdftotext >/dev/null ||
			die "soak files needs LibreOffice and poppler-utils"
		build_all
		begin files
		if LAMPLIGHTER_BUILD=$build /usr/bin/python3 "$top/tests/soak/files.py" \
			"${seconds:-40}" >"$out/files.log" 2>&1; then
			tally files 1 0 0 "$out/files.log"
		else
			tally files 0 1 0 "$out/files.log"
		fi
		tail -n 1 "$out/files.log" ;;
	steps)
		build_all
		begin steps
		if make -C "$build" tests/unit/test_steps >"$log/steps.log" 2>&1 &&
			LAMPLIGHTER_SRCDIR=$top LAMPLIGHTER_STEPS_MB=${seconds:-2} \
				"$build/tests/unit/test_steps" >>"$log/steps.log" 2>&1; then
			tally steps 1 0 0 "$log/steps.log"
		else
			tally steps 0 1 0 "$log/steps.log"
		fi ;;
	projects)
		build_all
		begin projects
		if LAMPLIGHTER_TREE_STEPS=${seconds:-1000} LAMPLIGHTER_BUILD=$build \
			"$top/tests/unit/with-mariadb" /usr/bin/python3 -m pytest -q \
			-p no:cacheprovider -k four_writers \
			"$top/tests/api/test_project_graph.py" >"$out/projects.log" 2>&1 &&
			LAMPLIGHTER_BUILD=$build "$top/tests/unit/with-mariadb" /usr/bin/python3 \
				"$top/tests/soak/projects.py" >>"$out/projects.log" 2>&1; then
			tally projects 1 0 0 "$out/projects.log"
		else
			tally projects 0 1 0 "$out/projects.log"
		fi
		tail -n 9 "$out/projects.log" ;;
	plans) soak_script plans "${seconds:-300}" ;;
	leases) soak_script leases "${seconds:-500}" ;;
	reader) soak_script reader "${seconds:-60}" ;;
	*) die "soak fuzz, stress, steps, cluster, cluster-keys, files, leases, plans, projects or reader" ;;
	esac
	summary "$start"
}

# SPDX-License-Identifier: MIT
# The services of ./lamp: MariaDB, the demo model, the responder and lighttpd of
# one checkout; their files, their start, stop and state. Sourced by lamp.
# shellcheck shell=bash disable=SC2154

. "$top/conf/demo/models.sh"

# ---- processes -------------------------------------------------------------

names='lighttpd responder demo-llm db'
declare -A prog=([db]=mariadbd [responder]=lamplighter.fcgi
	[lighttpd]=lighttpd [demo-llm]=lamplighter-demo-llm)
declare -A mark=()

# Where sockets and pids live, and the argument that tells our processes from
# all others of the same program. A socket's path is limited to 107 bytes, so
# a deep checkout gets a short directory of its own in /tmp.
places() {
	local len
	run=$var/run
	len=$(LC_ALL=C; echo ${#run})
	if [ "$len" -gt 90 ]; then
		run=/tmp/lamplighter-$(id -u)-$(printf %s "$var" | sha256sum | cut -c1-12)
	fi
	mark[db]=--defaults-file=$var/db/my.cnf
	mark[responder]=$run/fcgi.sock
	mark[lighttpd]=$conf/lighttpd.conf
	mark[demo-llm]=$run/demo-llm
}

make_dirs() {
	if [ -e "$var" ] && [ ! -O "$var" ]; then
		die "$var belongs to $(stat -c %U "$var"): run lamp as that user, or" \
			"set LAMP_VAR to a directory of your own"
	fi
	mkdir -p "$var"/{log,run,conf/workspaces.d,conf/prompts.d,secrets,db/tmp,tmp,empty} ||
		die "cannot write to $var"
	chmod 700 "$var"
	[ -d "$run" ] || mkdir -m 700 "$run" || die "cannot create $run"
	# In /tmp anyone may have been first.
	[ -O "$run" ] && [ ! -L "$run" ] || die "$run belongs to somebody else: remove it"
	chmod 700 "$run"
}

# is_ours PID NAME: is PID the process that this checkout runs as NAME? Its arguments
# are read first: that takes no process, and there may be hundreds to look at.
is_ours() {
	local exe arg found=
	while IFS= read -r -d '' arg; do
		[ "$arg" = "${mark[$2]}" ] && found=yes && break
	done 2>/dev/null <"/proc/$1/cmdline"
	[ "$found" ] && exe=$(readlink "/proc/$1/exe" 2>/dev/null) || return 1
	exe=${exe% (deleted)}
	[ "${exe##*/}" = "${prog[$2]}" ]
}

# pid_of NAME: print its pid; fails if it does not run.
pid_of() {
	local pid
	pid=$(cat "$run/$1.pid" 2>/dev/null)
	if [ -n "$pid" ] && is_ours "$pid" "$1"; then
		echo "$pid"
		return 0
	fi
	for pid in /proc/[0-9]*; do
		pid=${pid#/proc/}
		if is_ours "$pid" "$1"; then
			echo "$pid"
			{ echo "$pid" >"$run/$1.pid"; } 2>/dev/null
			return 0
		fi
	done
	return 1
}

running() { pid_of "$1" >/dev/null; }
gone() { ! is_ours "$2" "$1"; }

# start NAME COMMAND...: run it in its own session, output to its log. Waits until it is
# that program: a busy machine is slow to get there, and what is not ours looks dead.
start() {
	local name=$1
	shift
	printf -- '--- %s started by lamp\n' "$(date '+%F %T')" >>"$log/$name.log"
	setsid "$@" >>"$log/$name.log" 2>&1 </dev/null 9>&- &
	echo $! >"$run/$name.pid"
	await 60 begun "$name" $!
}
begun() { is_ours "$2" "$1" || ! kill -0 "$2" 2>/dev/null; }

# stop NAME [SECONDS]: end it by its own pid, by force when it does not listen.
stop() {
	local pid
	pid=$(pid_of "$1") || return 0
	kill -TERM "$pid" 2>/dev/null
	if ! await "${2:-20}" gone "$1" "$pid"; then
		say "$1 (pid $pid) did not stop within ${2:-20} s and was killed"
		kill -KILL "$pid" 2>/dev/null
		await 10 gone "$1" "$pid"
	fi
	rm -f "$run/$1.pid" "$run/$1.state"
}

# settled NAME CHECK...: ready, or dead, so that waiting makes no sense.
settled() {
	local name=$1
	shift
	"$@" || ! running "$name"
}

# same NAME STATE: was the running process started in just this state?
same() { [ "$(cat "$run/$1.state" 2>/dev/null)" = "$2" ]; }
state_is() { printf '%s\n' "$2" >"$run/$1.state"; }
digest() { sha256sum | cut -c1-64; }

# current NAME FILE: does the process run the program that lies there now?
current() {
	local pid
	pid=$(pid_of "$1") && [ "/proc/$pid/exe" -ef "$2" ]
}

# ---- generated files -------------------------------------------------------

declare -A sub=()

# render FILE: the file with each @NAME@ replaced from sub[].
render() {
	local text key
	text=$(cat "$1") || return
	for key in "${!sub[@]}"; do
		text=${text//"@$key@"/"${sub[$key]}"}
	done
	printf '%s\n' "$text"
}

# generate SOURCE TARGET: write it, unless somebody edited the last one.
generate() {
	local new=$2.new sum=$var/conf/.sum-${2##*/} last
	last=$(cat "$sum" 2>/dev/null)
	render "$1" >"$new" || die "cannot write $new"
	if cmp -s "$new" "$2"; then
		rm -f "$new"
	elif [ -e "$2" ] && [ "$(digest <"$2")" != "$last" ]; then
		if [ "$(digest <"$new")" = "$last" ]; then
			rm -f "$new"
		else
			note config "kept your edited ${2#"$top"/}; lamp's version is ${new##*/}"
		fi
		return
	else
		mv -f "$new" "$2" || die "cannot write $2"
	fi
	digest <"$2" >"$sum"
}

# secret NAME [BYTES]: a random password, made once, readable by us only.
secret() {
	local file=$secrets/$1
	if [ ! -s "$file" ]; then
		od -An -v -N"${2:-24}" -tx1 /dev/urandom | tr -d ' \n' >"$file.new" &&
			mv "$file.new" "$file" || die "cannot write $file"
	fi
	cat "$file"
}

# client USER DATABASE: an option file for the mariadb command.
client() {
	local file=$secrets/$1.cnf
	printf '[client]\nsocket=%s\nuser=%s\npassword=%s\ndatabase=%s\n' \
		"$run/db.sock" "$1" "$(secret "$1")" "$2" >"$file"
}

sql() { mariadb --defaults-file="$secrets/$1.cnf" -N -B -e "$2" 2>/dev/null; }
db_ready() { sql lamplighter 'SELECT 1' >/dev/null; }

# ---- up, part by part ------------------------------------------------------

up_db() {
	local state
	sub[ROOT_USER]=
	[ "$(id -u)" = 0 ] && sub[ROOT_USER]=user=root
	render "$top/conf/demo/my.cnf" >"$var/db/my.cnf"
	sub[PW_APP]=$(secret lamplighter) sub[PW_OWNER]=$(secret intranet_owner)
	sub[PW_READER]=$(secret intranet_reader) sub[PW_DESK]=$(secret intranet_desk)
	render "$top/conf/demo/init.sql" | grep -v '^--' >"$var/db/init.sql"
	client lamplighter lamplighter
	client intranet_owner intranet
	client intranet_reader intranet
	client intranet_desk intranet
	state=$(cat "$var/db/my.cnf" "$var/db/init.sql" | digest)
	if running db && same db "$state" && await 20 settled db db_ready &&
		running db; then
		return
	fi
	stop db 60
	if [ ! -d "$var/db/data" ]; then
		rm -rf "$var/db/data.new" "$var/db/sample.stamp" "$var/db/handbook.stamp" \
			"$var/db/projects.stamp"
		mariadb-install-db --defaults-file="$var/db/my.cnf" --force \
			--datadir="$var/db/data.new" --skip-test-db \
			--skip-name-resolve --auth-root-authentication-method=normal \
			>"$log/db-install.log" 2>&1 </dev/null 9>&- &&
			mv "$var/db/data.new" "$var/db/data" ||
			die_log "the database could not be created" "$log/db-install.log"
	fi
	start db "$(command -v mariadbd)" "${mark[db]}" \
		--init-file="$var/db/init.sql"
	await 90 settled db db_ready
	running db && db_ready ||
		die_log "the database does not start" "$log/db.log"
	state_is db "$state"
}

# Sample data are made again when they are of another day, so that "opened
# this week" stays true; the stamp is written last, so a broken load repeats.
up_sample() {
	local stamp
	stamp="$(date -u +%F) $(cat "$top"/conf/demo/sample*.py | digest)"
	if [ "$(cat "$var/db/sample.stamp" 2>/dev/null)" != "$stamp" ]; then
		[ ! -s "$var/db/sample.stamp" ] || note database \
			"sample data is created again, with today's dates; your own tickets are deleted"
		{ python3 -B "$top/conf/demo/sample_data.py" &&
			python3 -B "$top/conf/demo/sample_wiki.py"; } 2>"$log/sample.log" |
			mariadb --defaults-file="$secrets/intranet_owner.cnf" \
				>>"$log/sample.log" 2>&1 ||
			die_log "the sample data could not be loaded" "$log/sample.log"
		printf '%s\n' "$stamp" >"$var/db/sample.stamp"
	fi
	note database "MariaDB $(sql lamplighter "SELECT SUBSTRING_INDEX(VERSION(), '-', 1)")," \
		"sample data:" \
		"$(sql intranet_reader "SELECT CONCAT_WS(' ',
			(SELECT COUNT(*) FROM person), 'people,',
			(SELECT COUNT(*) FROM ticket), 'tickets,',
			(SELECT COUNT(*) FROM asset), 'assets')")"
}

# The documents of the company, over the API; the responder's jobs index them.
up_handbook() {
	local stamp
	stamp="$(cat "$top"/conf/demo/sample_{handbook,rules}.py | digest)"
	[ "$(cat "$var/db/handbook.stamp" 2>/dev/null)" != "$stamp" ] || return 0
	if python3 -B "$top/conf/demo/sample_handbook.py" "$(url)" \
		>"$log/handbook.log" 2>&1; then
		printf '%s\n' "$stamp" >"$var/db/handbook.stamp"
		note knowledge "the company handbook, $(cat "$log/handbook.log") documents"
	else
		# Somebody who edited the configuration may have taken the right away.
		note knowledge "the handbook could not be written: see ${log#"$top"/}/handbook.log"
	fi
}

# Projects of the company, over the API, once: what people make of them stays.
up_projects() {
	[ ! -s "$var/db/projects.stamp" ] || return 0
	if python3 -B "$top/conf/demo/sample_projects.py" "$(url)" \
		>"$log/projects.log" 2>&1; then
		cp "$log/projects.log" "$var/db/projects.stamp"
		note projects "the company's projects, $(cat "$log/projects.log")"
	else
		note projects "they could not be made: see ${log#"$top"/}/projects.log"
	fi
}

# The pages of the wiki, from its tables; later a job does this.
up_wiki() {
	if "$root/bin/lamplighter" -c "$conf/lamplighter.yaml" kb sync \
		>"$log/wiki.log" 2>&1; then
		note knowledge "the company wiki, from the tables of MediaWiki"
	else
		note knowledge "the wiki could not be read: see ${log#"$top"/}/wiki.log"
	fi
}

up_responder() {
	local state bin=$root/bin/lamplighter yaml=$conf/lamplighter.yaml f old was
	secret seal 32 >/dev/null	# what seals the keys that people store
	generate "$top/conf/demo/lamplighter.yaml" "$yaml"
	for f in "$top"/conf/demo/{workspaces,prompts}.d/*.yaml; do
		[ -e "$f" ] && generate "$f" "$conf/${f#"$top"/conf/demo/}"
	done
	"$bin" -c "$yaml" check >"$log/check.log" 2>&1 ||
		die_log "the configuration has errors" "$log/check.log"
	"$bin" -c "$yaml" migrate >"$log/migrate.log" 2>&1 ||
		die_log "the database schema could not be created" "$log/migrate.log"
	# Config files are re-read by the running process; a new binary, address
	# or key needs a new one, which takes the socket's place.
	state=$(printf '%s\n' "$run" "$llm_key" "${llm_key:+${!llm_key:-}}" | digest)
	current responder "$fcgi" && same responder "$state" &&
		[ -S "$run/fcgi.sock" ] && return
	old=$(pid_of responder)
	# An older one removes the path when it ends, whoever has it then.
	[ -z "$old" ] || yields "$old" || { stop responder; old=; }
	[ -n "$old" ] || rm -f "$run/fcgi.sock"
	was=$(stat -c %i "$run/fcgi.sock" 2>/dev/null)
	start responder "$fcgi" -c "$yaml" -s "${mark[responder]}" -r
	await 30 settled_responder "$was"
	if ! new_socket "$was"; then
		# One that is only slow would take the path later.
		kill -TERM "$(cat "$run/responder.pid")" 2>/dev/null
		[ -z "$old" ] || echo "$old" >"$run/responder.pid"
		die_log "the responder does not start" "$log/responder.log"
	fi
	# The old one finishes the answers that it writes; nothing waits for it.
	[ -z "$old" ] || kill -TERM "$old" 2>/dev/null
	state_is responder "$state"
}
# yields PID: does its program, even if it was replaced since, know -r?
yields() { "/proc/$1/exe" -h 2>&1 | grep -qF -- '[-r]'; }
# new_socket INODE: has another process bound the responder's path since?
new_socket() {
	[ -S "$run/fcgi.sock" ] && [ "$(stat -c %i "$run/fcgi.sock")" != "$1" ]
}
settled_responder() {
	new_socket "$1" || ! kill -0 "$(cat "$run/responder.pid")" 2>/dev/null
}

# ---- web server ------------------------------------------------------------

encode() { printf '%s' "${1// /%20}"; }
url() { printf 'http://127.0.0.1:%s%s/' "$port" "$(encode "$base")"; }
# Somebody listening on the port, on any address that would collide?
taken() {
	local hex
	hex=$(printf '%04X' "$1")
	grep -Eiqs "^ *[0-9]+: [0-9A-F]+:$hex [0-9A-F:]+ 0A " \
		/proc/net/tcp /proc/net/tcp6
}
web_ready() {
	curl -fsS --noproxy '*' -m 5 -o /dev/null "$(url)api/v1/ready" 2>/dev/null
}

web_conf() {
	sub[PORT]=$port
	render "$top/conf/demo/lighttpd.conf"
}

up_lighttpd() {
	local exact=$1 was=$2 state bin tries fds
	bin=$(command -v lighttpd)
	fds=$(ulimit -Hn)
	[ "$fds" != unlimited ] && [ "$fds" -lt 16384 ] || fds=16384
	sub[BASE]=$base sub[BASE_RE]=${base//./[.]}
	# The root leads to the chat, where it is not the chat itself.
	sub[MOVED_RE]="^${base:+(/|${sub[BASE_RE]})}\$"
	sub[BASE_URL]=${base// /%%20}	# where %2 would be a back reference
	sub[WWW]=$root/share/lamplighter/www
	sub[MAX_FDS]=$fds sub[MAX_CONN]=$((fds / 2))
	port=${exact:-${was:-8080}}
	state=$(web_conf | digest)
	if current lighttpd "$bin" && same lighttpd "$state"; then
		return
	fi
	stop lighttpd 10
	for ((tries = 0; tries < 100; tries++, port++)); do
		if taken "$port"; then
			[ -z "$exact" ] || die "port $port is in use by another program"
			continue
		fi
		web_conf >"${mark[lighttpd]}"
		: >"$log/lighttpd.log"
		start lighttpd "$bin" -D -f "${mark[lighttpd]}"
		await 15 settled lighttpd web_up
		running lighttpd && break
		# Another program may have been faster than our look at the port.
		grep -q 'Address already in use' "$log/lighttpd.log" ||
			die_log "lighttpd does not start" "$log/lighttpd.log"
		[ -z "$exact" ] || die "port $port is in use by another program"
	done
	running lighttpd || die "there is no free port from 8080 on"
	state_is lighttpd "$(web_conf | digest)"
}
web_up() {
	curl -sS --noproxy '*' -m 5 -o /dev/null "$(url)" 2>/dev/null
}

check_base() {
	[ "$base" = / ] && base=
	base=${base%/}
	[[ -z $base || $base =~ ^(/[A-Za-z0-9._~\ -]+)+$ ]] &&
		[[ ! $base/ =~ /\.{1,2}/ ]] ||
		die "--base must be a path such as /chat or /intranet/chat (letters," \
			"digits, . _ ~ - and spaces)"
}

up() {
	local was_port='' was_base='' exact=$port before
	plain_name "$var" "MariaDB cannot be set up"
	make_dirs
	exec 9>"$var/lock"
	flock -w 300 9 || die "another lamp is using $var"
	fcgi=$root/libexec/lamplighter/lamplighter.fcgi
	{ read -r was_port; read -r was_base; } 2>/dev/null <"$run/instance"
	# What is not said stays as it is, while there is an instance.
	[ -n "$base" ] || base=${was_base:-/chat}
	check_base
	[[ -z $port || $port =~ ^[1-9][0-9]{0,4}$ && $port -le 65535 ]] ||
		die "--port must be a number from 1 to 65535"
	case $llm in
	'' | auto | demo | openai | anthropic | openrouter | ollama) ;;
	*) die "--llm must be auto, demo, openai, anthropic, openrouter or ollama" ;;
	esac
	before=$(pids)
	# Said now, before anything of a running instance is touched.
	[ -z "$exact" ] || { [ "$exact" = "$was_port" ] && running lighttpd; } ||
		! taken "$exact" || die "port $exact is in use by another program"
	packages
	build_all
	sub[RUN]=$run sub[VAR]=$var sub[LOG]=$log sub[SECRETS]=$secrets
	sub[DEMO]=$top/conf/demo
	up_db
	up_sample
	choose_llm
	up_responder
	up_lighttpd "$exact" "$was_port"
	if ! await 30 web_ready; then
		curl -sS --noproxy '*' -m 5 "$(url)api/v1/ready" >&2
		printf '\n' >&2
		die_log "started, but not ready according to $(url)api/v1/ready" \
			"$log/responder.log"
	fi
	up_handbook
	up_projects
	up_wiki
	try_llm
	printf '%s\n%s\n' "$port" "${base:-/}" >"$run/instance"
	flock -u 9
	if [ "$before" = "$(pids)" ]; then
		say "already running: $(url)"
	else
		say "running: $(url)"
	fi
}

pids() {
	local n
	for n in $names; do pid_of "$n"; done
}

# ---- down, status ----------------------------------------------------------

down() {
	local n any=no
	# Also without var/, which may have been removed too early.
	make_dirs
	exec 9>"$var/lock"
	flock -w 300 9 || die "another lamp is using $var"
	for n in $names; do
		# A responder that was replaced may still write answers.
		while running "$n"; do
			any=yes
			say "stopping $n (pid $(pid_of "$n"))"
			if [ "$n" = db ]; then stop db 60; else stop "$n"; fi
		done
	done
	rm -f "$run"/{fcgi.sock,db.sock,db.pid,instance,llm} "$run"/*.state "$run"/*.pid
	[ "$run" = "$var/run" ] || rmdir "$run" 2>/dev/null
	[ "$any" = yes ] || say "nothing is running"
}

version_of() {
	case $1 in
	db) mariadbd --version 2>/dev/null | grep -o '[0-9][0-9.]*-MariaDB' ;;
	lighttpd) lighttpd -v | sed -n '1s/^lighttpd.\([0-9.]*\).*/\1/p' ;;
	*) "$root/bin/lamplighter" version 2>/dev/null | head -n 1 ;;
	esac
}

# refused_conf: the running process has kept an older configuration, and says why.
refused_conf() {
	curl -sS --noproxy '*' -m 5 "$(url)api/v1/ready" 2>/dev/null | python3 -c '
import json, sys
try:
    check = json.load(sys.stdin)["checks"]["config"]
except (ValueError, KeyError):
    sys.exit()
if not check["ok"]:
    print("lamp: the configuration was changed and is refused, the one before is in use:")
    print("lamp: " + check["detail"])'
}

status() {
	local n pid up=0 want=4 state
	[ ! -e "$var" ] || [ -O "$var" ] || die "$var belongs to $(stat -c %U "$var")"
	{ read -r port; read -r base; } 2>/dev/null <"$run/instance"
	base=${base%/}
	[ "$(cat "$run/llm" 2>/dev/null)" = demo ] || want=3
	printf '%-10s %-8s %-18s %s\n' PROCESS PID VERSION LOG
	for n in $names; do
		[ "$n" = demo-llm ] && [ "$want" = 3 ] && continue
		if pid=$(pid_of "$n"); then
			up=$((up + 1)) state=$pid
		else
			state=-
		fi
		printf '%-10s %-8s %-18s %s\n' "$n" "$state" "$(version_of "$n")" \
			"$log/$n.log"
	done
	if [ "$up" = 0 ]; then
		say "nothing is running; start it with ./lamp up"
		return 3
	elif [ "$up" -lt "$want" ] || [ -z "$port" ]; then
		say "not everything is running; ./lamp up starts the rest"
		return 1
	elif ! web_ready; then
		say "everything is running, but $(url)api/v1/ready reports a problem:"
		curl -sS --noproxy '*' -m 5 "$(url)api/v1/ready"
		echo
		return 1
	fi
	say "running: $(url) (model: $(cat "$run/llm"))"
	say "configuration: $conf/lamplighter.yaml"
	refused_conf
	[ "$(cat "$run/llm")" != demo ] ||
		say "demo model: http://127.0.0.1:$(demo_port)/v1, for a key of one's own too"
}

# SPDX-License-Identifier: MIT
# The model of ./lamp: which one is used, and the demo model. Part of services.sh.
# shellcheck shell=bash disable=SC2154

# A wildcard address is what Ollama listens on, not one to connect to.
ollama_url() {
	local host=${OLLAMA_HOST:-127.0.0.1}
	host=${host#http://} host=${host%/}
	case $host in *:*) ;; *) host=$host:11434 ;; esac
	printf 'http://%s' "${host/#0.0.0.0/127.0.0.1}"
}

# The first installed model that can call tools, else the first one.
ollama_model() {
	local url first='' name
	url=$(ollama_url)
	while read -r name; do
		[ -n "$name" ] || continue
		first=${first:-$name}
		# No pipe: the first match would break it, and so the test.
		if grep -q '"capabilities":\[[^]]*"tools"' < <(curl -fsS \
			--noproxy '*' -m 3 "$url/api/show" \
			-d "{\"model\":\"$name\"}" 2>/dev/null); then
			echo "$name"
			return
		fi
	done < <(curl -fsS --noproxy '*' -m 2 "$url/api/tags" 2>/dev/null | python3 -c '
import json, sys
try:
    print(*(m["name"] for m in json.load(sys.stdin)["models"]), sep="\n")
except (ValueError, KeyError):
    pass')
	echo "$first"
}

demo_port() {
	sed -n 's/^listening on 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$log/demo-llm.log" \
		2>/dev/null | tail -n 1
}
demo_ready() {
	local p
	p=$(demo_port)
	[ -n "$p" ] && curl -fsS --noproxy '*' -m 2 -o /dev/null \
		"http://127.0.0.1:$p/v1/models" 2>/dev/null
}

up_demo_llm() {
	local bin=$root/bin/lamplighter-demo-llm want
	current demo-llm "$bin" && demo_ready && return
	want=$(demo_port)
	stop demo-llm 5
	for want in ${want:-0} 0; do
		: >"$log/demo-llm.log"
		# The name it is started under tells it from another checkout's.
		start demo-llm bash -c 'exec -a "$0" "$@"' "${mark[demo-llm]}" \
			"$bin" --host 127.0.0.1 --port "$want"
		await 20 settled demo-llm demo_ready
		running demo-llm && demo_ready && return
	done
	die_log "the demo model does not start" "$log/demo-llm.log"
}

# inherit NAME: where this shell does not have it, the running responder may.
inherit() {
	local pid
	[ -z "${!1:-}" ] && pid=$(pid_of responder) || return 0
	export "$1=$(tr '\0' '\n' <"/proc/$pid/environ" | sed -n "s/^$1=//p")"
}

# try_llm: does the provider take the key? Asks for its list of models, which is free.
try_llm() {
	[ "$llm" = demo ] || timeout 20 "$root/bin/lamplighter" -c "$conf/lamplighter.yaml" \
		services models main >"$log/models.log" 2>&1 || {
		note model "$llm does not work: $(sed -n '$s/^lamplighter: //p' "$log/models.log")"
		note '' "Check the key and the address, and run ./lamp up again"
	}
}

# choose_llm: from --llm, the environment and what was chosen before. A key is
# never stored; a second shell without it gets it from the running process.
choose_llm() {
	local was model='' key='' url='' provider what
	was=$(cat "$run/llm" 2>/dev/null)
	what=${llm:-auto}
	case $was in
	openai | anthropic | openrouter)
		case $what in auto | "$was")
			inherit "${was^^}_API_KEY"
			inherit "${was^^}_BASE_URL"
			inherit LAMPLIGHTER_MODEL ;;
		esac ;;
	esac
	if [ "$what" = auto ]; then
		if [ -n "${OPENAI_API_KEY:-}" ]; then what=openai
		elif [ -n "${ANTHROPIC_API_KEY:-}" ]; then what=anthropic
		elif [ -n "${OPENROUTER_API_KEY:-}" ]; then what=openrouter
		else
			model=$(ollama_model)
			[ -n "$model" ] && what=ollama || what=demo
		fi
	fi
	provider=$what
	case $what in
	openai) key=OPENAI_API_KEY model=gpt-5-mini url=${OPENAI_BASE_URL:-} ;;
	anthropic) key=ANTHROPIC_API_KEY model=claude-haiku-4-5 url=${ANTHROPIC_BASE_URL:-} ;;
	openrouter) key=OPENROUTER_API_KEY model=openai/gpt-5-mini ;;
	ollama)
		url=$(ollama_url)
		model=${model:-$(ollama_model)}
		[ -n "$model" ] || die "there is no Ollama with a model at $url" ;;
	demo)
		up_demo_llm
		provider=openai model=lamplighter-demo url=http://127.0.0.1:$(demo_port)/v1 ;;
	esac
	if [ -n "$key" ] && [ -z "${!key:-}" ]; then
		die "--llm $what needs $key in the environment"
	fi
	[ "$what" = demo ] || stop demo-llm 5
	[ "$what" = demo ] || model=${LAMPLIGHTER_MODEL:-$model}
	sub[LLM_PROVIDER]=$provider sub[LLM_MODEL]=$model sub[LLM_URL]=$url
	sub[LLM_KEY]=${key:+"\${$key}"}
	[ "$what" = demo ] && sub[LLM_KEY]=demo
	printf '%s\n' "$what" >"$run/llm"
	llm=$what llm_key=$key
	if [ "$what" = demo ]; then
		note model "demo model: fixed rules for the sample data, NOT a language"
		note '' "model. For a real one, set OPENAI_API_KEY, ANTHROPIC_API_KEY"
		note '' "or OPENROUTER_API_KEY, or start Ollama"
	else
		note model "$what, $model${url:+ at $url}"
	fi
}

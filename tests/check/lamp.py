#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ./lamp decides before it starts anything: its arguments, ports that
others have, the model of a running Ollama; its packages, and what it builds again in
a directory that was configured otherwise."""

import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading

from tree import ROOT, Tap, files, text_of

tap = Tap()


def expect(name, ok, seen):
    tap.result(ok, name, [] if ok else repr(seen).splitlines())


def refused():
    """Said at once, before a package is looked for or anything is built."""
    with tempfile.TemporaryDirectory() as var:
        for arguments, folder, text in (
                (["--port"], "v", "--port needs a number"),
                (["--port", "0"], "v", "--port must be a number from 1 to 65535"),
                (["--base", "chat"], "v", "--base must be a path"),
                (["--base", "/a/../b"], "v", "--base must be a path"),
                (["--llm", "gpt"], "v", "--llm must be auto, demo,"),
                (["--colour"], "v", "unknown option --colour"),
                ([], "v ar", "MariaDB cannot be set up in a directory whose name has")):
            ran = subprocess.run(
                [ROOT / "lamp", "up", *arguments], stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=60,
                env={**os.environ, "LAMP_VAR": os.path.join(var, folder)})
            expect(" ".join(["refuses", *arguments, *folder.split()[1:]]),
                   ran.returncode == 1 and f"lamp: {text}" in ran.stderr
                   and not ran.stdout, ran)


def function(call, **env):
    """The output of a function of services.sh, or None when it fails."""
    ran = subprocess.run(
        ["bash", "-c", f"set -uo pipefail; top=$0 var=/nonexistent\n"
         f". $0/conf/demo/services.sh\n{call}", ROOT],
        capture_output=True, text=True, timeout=60, env={**os.environ, **env})
    return None if ran.returncode else ran.stdout.strip()


def ports():
    """Among many, as on a busy machine."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(150)]
    numbers = " ".join(str(s.getsockname()[1]) for s in held)
    missed = function(f"for p in {numbers}; do taken $p || echo $p; done; true")
    expect("sees every port that is taken", missed == "", missed)
    for s in held:
        s.close()
    with socket.socket() as quiet:
        quiet.bind(("127.0.0.1", 0))
        found = function(f"taken {quiet.getsockname()[1]} || echo free")
    expect("a port on which nobody listens is free", found == "free", found)


def replaced():
    """A responder of before -r ends first: it would take the new one's socket along."""
    with tempfile.TemporaryDirectory() as folder:
        for name, usage, want in (
                ("new", "usage: x [-c CONFIG] [-s SOCKET [-r]]", "yes"),
                ("old", "usage: x [-c CONFIG] [-s SOCKET]", "no")):
            path = os.path.join(folder, name)
            with open(path + ".c", "w", encoding="ascii") as f:
                f.write("#include <stdio.h>\n#include <unistd.h>\n"
                        "int main(int n, char **v)\n{\n"
                        f'\tif (n > 1)\n\t\tputs("{usage}");\n'
                        "\telse\n\t\tpause();\n\treturn 0;\n}\n")
            subprocess.run(["cc", "-o", path, path + ".c"], check=True)
            with subprocess.Popen([path]) as process:
                os.unlink(path)		# as a build does
                seen = function(f"yields {process.pid} && echo yes || echo no")
                process.kill()
            expect(f"a running {name} program yields its socket: {want}",
                   seen == want, seen)


def built_again():
    """What other options of configure have made is no part of a build."""
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        configure = top / "configure"
        configure.write_text("#!/bin/sh\nprintf 'all:\\n\\ttouch made\\n"
                             "clean:\\n\\trm -f made\\n' >Makefile\ntouch config.status\n")
        configure.chmod(0o755)

        def build(option):
            subprocess.run(
                ["bash", "-c", "set -uo pipefail; top=$1 goals=\n"
                 """eval "$(sed -n '/^plain_name()/,/^}/p; /^options_of()/,/^flags_of/p; /^build_tree()/,/^}/p' "$0")"\n"""
                 "build_tree $1/build $1/log $2", ROOT / "lamp", top, option],
                check=True, timeout=60)
            text = made.read_text()
            made.write_text("old")
            return text
        made = top / "build/made"
        texts = [build(option) for option in ("--one", "--one", "--two", "--two")]
        expect("other options: nothing old is left", texts == ["", "old", "", "old"], texts)
        subprocess.run([configure], cwd=top / "build", check=True)
        texts = [build("--two"), build("--two")]
        expect("nor of a configure by hand", texts == ["", "old"], texts)


def configured_by_hand():
    """Options of a build that is there stay, and nothing is compiled twice for them."""
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder, "top")
        build = top / "build"
        build.mkdir(parents=True)
        configure = top / "configure"
        configure.write_text(
            "#!/bin/sh\nprintf 'all:\\n\\ttouch made\\nclean:\\n\\trm -f made\\n"
            "install:\\n' >Makefile\necho \"$*\" >>options\n"
            "{ echo '#!/bin/sh'; echo \"cat <<'E'\"; for o; do echo \"'$o'\"; done; echo E; }"
            " >config.status\nchmod +x config.status\n")
        configure.chmod(0o755)

        def by_hand(*options):
            subprocess.run([configure, *options], cwd=build, check=True)

        def up():
            subprocess.run(
                ["bash", "-c", "set -uo pipefail; top=$1 build=$1/build root=$1/root log=$1\n"
                 "note() { :; }; die_log() { exit 1; }; flock() { :; }; goals=\n"
                 """eval "$(sed -n '/^plain_name()/,/^\\. /p' "$0" | sed '$d')"\n"""
                 "build_all", ROOT / "lamp", top],
                check=True, timeout=60)
            text = made.read_text()
            made.write_text("old")
            return (build / "options").read_text().splitlines()[-1], text

        made, own = build / "made", f"--prefix={top}/root INSTALL=/usr/bin/install -C"
        by_hand("--enable-developer", "CFLAGS=-O1 -g", "--prefix=/usr")
        made.write_text("old")
        kept = f"--enable-developer CFLAGS=-O1 -g {own}"
        seen = [up(), up()]
        expect("options of a build by hand stay, and its objects", seen == [(kept, "old")] * 2,
               seen)
        by_hand("--enable-developer", "CFLAGS=-O1 -g")
        seen = up()
        expect("also once it was configured again", seen == (kept, "old"), seen)
        by_hand()
        seen = [up(), up()]
        expect("other options by hand: nothing old is left",
               seen == [(own, ""), (own, "old")], seen)


def directories():
    """In a build directory that had another --prefix."""
    using = {str(p)[:-2] + ".o" for p in files(".c", under=("lib", "fcgi-app", "tests/unit"))
             if re.search(r"\bLAMPLIGHTER_(DATA|LIBEXEC|SYSCONF)DIR\b", text_of(p))}
    sample = "conf/lamplighter.service.sample"
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)

        def make(prefix):
            (top / "Makefile").write_text(
                f"pkgdatadir = {prefix}/share\npkglibexecdir = {prefix}/libexec\n"
                f"sysconfdir = {prefix}/etc\nOBJEXT = o\nMKDIR_P = mkdir -p\n"
                f"vpath %.in {ROOT}\n.SUFFIXES: .in .sample\n"
                f"include {ROOT}/lib/base/local.mk {ROOT}/conf/local.mk\n"
                "%.o:\n\t@mkdir -p $(@D) && echo $@ >>built && touch $@\n",
                encoding="ascii")
            (top / "built").write_text("")
            subprocess.run(["make", "-s", *using, sample], cwd=top, check=True,
                           capture_output=True, timeout=60, env={
                               k: v for k, v in os.environ.items() if "MAKE" not in k})
            return set((top / "built").read_text().split())

        make("/one")
        again = make("/one")
        expect("the same directories: nothing is built again", not again, again)
        again = make("/two")
        expect("others: each object that contains them is", again == using, again ^ using)
        text = (top / sample).read_text(encoding="utf-8")
        expect("and the samples", "/two/" in text and "/one/" not in text, text)


def packages():
    """docs/install.md names what ./lamp up installs, as far as a build needs it."""
    def listed(variable):
        rows = re.search(rf"^{variable}='(.*?)'$", text_of("lamp"), re.M | re.S).group(1)
        return {row.split()[0] for row in rows.splitlines()}
    to_run = {"mariadb-server-core", "mariadb-client-core", "lighttpd", "python3", "curl",
              "ca-certificates", "util-linux", "tzdata"}
    implied = {"libc6-dev"}		# by gcc
    page = text_of("docs/install.md")
    named = set(re.search(r"^apt-get install ((?:.*\\\n)*.*)", page, re.M).group(1)
                .replace("\\", " ").split())
    want = listed("need_run") - to_run - implied
    expect("docs/install.md has the packages of a build", named == want, named ^ want)
    expect("Node.js comes with npm", {"nodejs", "npm"} <= want, want)


def programs():
    """What the tests of CI run comes with a package that ./lamp installs, or with every
    system: a bare machine has nothing else."""
    lists = "".join(re.search(rf"^{name}='(.*?)'$", text_of("lamp"), re.M | re.S).group(1)
                    for name in ("need_run", "need_test"))
    everywhere = {"bash", "kill", "setsid", "sh"}
    implied = {"cc", "mariadbd"}	# by gcc, mariadb-server-core
    have = set(re.findall(r" cmd (\S+)", lists)) | everywhere | implied
    named = {(name, str(path)) for path in files(".py", under=("tests",))
             if path.parts[1] not in ("soak", "bench", "check")
             for name in re.findall(r"(?:\bprogram\(|subprocess\.\w+\(\s*\[)\"([^\"]+)\"",
                                    text_of(path))}
    expect("programs of the tests are in its packages", len(named) > 10 and
           {name for name, _ in named} <= have, [n for n in sorted(named) if n[0] not in have])


class Ollama(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({"models": [{"name": n} for n in ("small", "able", "other")]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        able = body["model"] != "small"
        self.answer({"capabilities": ["completion"] + ["tools"] * able,
                     "license": "long " * 200000})

    def answer(self, value):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value, separators=(",", ":")).encode())

    def log_message(self, *_):
        pass


def ollama():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ollama) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = function("ollama_model", OLLAMA_HOST=f"127.0.0.1:{server.server_port}")
        expect("takes the first model that can call tools", found == "able", found)
        server.shutdown()
    expect("no Ollama, no model",
           function("ollama_model", OLLAMA_HOST="127.0.0.1:1") == "", found)


def providers():
    """Addresses of the environment, and a key that the provider refuses."""
    with tempfile.TemporaryDirectory() as folder:
        quiet = (f"run={folder} log={folder} conf={folder} root={folder}; note() {{ echo \"$*\"; }}; "
                 "stop() { :; }; pid_of() { return 1; }; declare -A sub=(); ")
        for name, address in (("OPENAI", "http://127.0.0.1:9/v1"),
                              ("ANTHROPIC", "https://gateway.example.org")):
            seen = function(quiet + f"llm={name.lower()}; choose_llm; echo ${{sub[LLM_URL]}}", **{
                f"{name}_API_KEY": "k", f"{name}_BASE_URL": address})
            expect(f"takes {name}_BASE_URL", seen and seen.splitlines()[-1] == address
                   and f"at {address}" in seen, seen)
        os.mkdir(os.path.join(folder, "bin"))
        program = pathlib.Path(folder, "bin", "lamplighter")
        for status, said in ((1, "GET https://a.example/v1/models: 401, and no list of models"),
                             (0, "gpt-5-mini")):
            program.write_text(f"#!/bin/sh\necho 'lamplighter: {said}' >&2\nexit {status}\n")
            program.chmod(0o755)
            seen = function(quiet + "llm=openai; try_llm; true")
            expect(f"up tells of a key that does not work: {status}",
                   ("openai does not work: " + said in seen) == bool(status), seen)
        expect("the demo model needs none", function(quiet + "llm=demo; try_llm; true") == "", "")


def refused_configuration():
    """status tells of a file that the running process does not use."""
    ready = '{"status":"%s","checks":{"config":{"ok":%s,"detail":"%s"}}}'
    for ok, detail in (("true", ""), ("false", "lamplighter.yaml:3:1: unknown key")):
        answer = ready % ("ready", ok, detail)
        seen = function(f"port=1 base=; curl() {{ echo '{answer}'; }}; refused_conf")
        expect(f"status tells of a refused configuration: {ok}",
               seen == "" if ok == "true" else detail in seen and "refused" in seen, seen)


def slow_start():
    """A machine that is slow to run a program: up took it for one that had ended."""
    with tempfile.TemporaryDirectory() as folder:
        setsid = pathlib.Path(folder, "setsid")
        # The machine is slow here, so time has to pass.
        setsid.write_text(f"#!/bin/sh\nsleep .4\nexec {shutil.which('setsid')} \"$@\"\n")
        setsid.chmod(0o755)
        nothing = pathlib.Path(folder, "nothing")
        nothing.touch()
        seen = function(
            "eval \"$(sed -n '/^tick=/p;/^await()/,/^}/p' $0/lamp)\"; "
            f"mark[db]={nothing} prog[db]=tail run={folder} log={folder}; "
            f"start db tail -f {nothing}; running db && kill $(pid_of db) && echo runs; "
            "start db false; running db || echo ended",
            PATH=f"{folder}:{os.environ['PATH']}")
        expect("start waits for the program", seen == "runs\nended", seen)


refused()
slow_start()
providers()
refused_configuration()
replaced()
built_again()
configured_by_hand()
directories()
packages()
programs()
ports()
ollama()
tap.finish()

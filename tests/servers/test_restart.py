# SPDX-License-Identifier: MIT
"""Restarts of the responder under load: no request is refused.

Each way in which the socket outlives a process, before each web server that
talks to a service: systemd keeps the socket (LISTEN_FDS), the process starts its
successor (SIGHUP, which systemctl reload sends), another one takes the path (-r,
which ./lamp up does).
"""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading

import pytest

from lab import RESPONDER, wait_until
from web import KINDS, Deployment

RESTARTS = 10
SERVICES = [kind for kind, cls in KINDS.items() if not cls.spawns]
SHORT = "!script " + json.dumps({"tokens": 5, "rate": 100})
LONG = "!script " + json.dumps({"tokens": 100, "rate": 20})
WORKSPACES = {"lab": {"workspace": "lab", "name": "Lab",
                      "title_by_model": False}}
# What systemd does to a service that has a socket unit.
PASS = 'exec 3<&"$0"; export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"'


class Passed(Deployment):
    """The test holds the socket, as systemd does."""

    def responder_argv(self):
        if not hasattr(self, "held"):
            self.held = socket.socket(socket.AF_UNIX)
            self.held.bind(self.responder_socket)
            os.chmod(self.responder_socket, 0o660)
            self.held.listen(4096)
        fd = self.held.fileno()
        self.responder_options = {"pass_fds": [fd]}
        without_path = [a for a in super().responder_argv()
                        if a not in ("-s", "-r", self.responder_socket)]
        return ["bash", "-c", PASS, str(fd), *without_path]

    def restart(self):
        assert self.stop("responder", deadline_s=30) == 0
        self.start_responder()

    def __exit__(self, *_):
        super().__exit__()
        self.held.close()


class Succeeded(Deployment):
    """SIGHUP: the process starts the next one, which is not our child."""

    def start_responder(self, env=None):
        super().start_responder(env)
        self.pids = [self.processes["responder"].pid]

    def restart(self):
        os.kill(self.pids[-1], signal.SIGHUP)
        self.pids.append(wait_until("the successor", self.successor))
        wait_until("its word that it serves", lambda: self.log(
            "responder").count("serving") == len(self.pids))

    def successor(self):
        """The id of a new process that has our socket's path as an argument."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            pid = int(path.parent.name)
            with contextlib.suppress(OSError):
                if pid not in self.pids and path.read_bytes().startswith(
                        os.fsencode(RESPONDER) + b"\0") and \
                        self.responder_socket.encode() in path.read_bytes():
                    return pid
        return None

    def __exit__(self, *_):
        last = self.pids[-1]
        if len(self.pids) > 1:
            os.kill(last, signal.SIGTERM)
            wait_until("its end", lambda: state(last) in (None, "Z"))
        super().__exit__()


class Replaced(Deployment):
    """-r: a new process takes the path, then the old one is told to stop."""

    def restart(self):
        old = self.processes.pop("responder")
        was = os.stat(self.responder_socket).st_ino
        self.start_responder()
        wait_until("another socket", lambda: os.stat(
            self.responder_socket).st_ino != was)
        old.send_signal(signal.SIGTERM)
        self.processes[f"old {old.pid}"] = old


def state(pid):
    """As /proc has it: "T" is stopped, "Z" ended but not waited for; or None."""
    with contextlib.suppress(OSError):
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
        return text.rpartition(")")[2].split()[0]
    return None


class Load:
    """Clients that ask on and on; what they got is counted."""

    def __init__(self, site):
        self.site = site
        self.good, self.bad = 0, []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(ask,))
                        for ask in (self.health, self.health, self.list,
                                    self.turn, self.turn)]
        for thread in self.threads:
            thread.start()

    def run(self, ask):
        while not self.over.is_set():
            try:
                trouble = ask()
            except (OSError, http.client.HTTPException, ValueError) as e:
                trouble = repr(e)
            if trouble:
                self.bad.append(trouble)
            else:
                self.good += 1	# of some lost counts nothing depends

    def health(self):
        answer = self.site.get("/health")
        return None if answer.status == 200 else str(answer)

    def list(self):
        answer = self.site.get("/conversations")
        return None if answer.status == 200 else str(answer)

    def turn(self):
        stream = self.site.stream("/chat/lab/stream", {"content": SHORT})
        if stream.status != 200:
            return f"{stream.status} {stream.response.read()}"
        events = stream.events()
        ended = events and events[-1].name == "done" and \
            events[-1].data["metadata"]["finish_reason"] == "stop"
        return None if ended else str(events[-1:])

    def more(self):
        """Until as many answers have come again as there are clients."""
        enough = self.good + 3 * len(self.threads)
        wait_until("answers", lambda: self.good >= enough or self.bad)
        assert not self.bad, (len(self.bad), self.good, self.bad[:3])

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join(60)


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("way", [Passed, Succeeded, Replaced])
def test_restarts_refuse_nothing(way, kind):
    with way(workspaces=WORKSPACES) as own, KINDS[kind](own, "/chat") as site:
        load = Load(site)
        try:
            load.more()
            for _ in range(RESTARTS):
                own.restart()
                load.more()
        finally:
            load.stop()
        assert not load.bad, load.bad[:3]	# while it stopped


def begin(site):
    stream = site.stream("/chat/lab/stream", {"content": LONG})
    assert stream.status == 200, stream.response.read()
    events = iter(stream)
    for event in events:
        if event.name == "token":
            return stream, events
    raise AssertionError("no token")


@pytest.mark.parametrize("way", [Succeeded, Replaced])
def test_running_turn_goes_on_in_the_old_process(way):
    """Beyond threads.grace_s, which is for a stop that somebody waits for."""
    with way(workspaces=WORKSPACES, config={"threads": {"grace_s": 0}}) as own, \
            KINDS["lighttpd"](own, "/chat") as site:
        stream, events = begin(site)
        own.restart()
        assert site.get("/health").status == 200
        last = list(events)[-1]
        stream.close()
        assert last.name == "done"
        assert last.data["metadata"]["finish_reason"] == "stop"


def test_successor_that_does_not_start_leaves_the_old_one():
    with Succeeded(workspaces=WORKSPACES) as own, \
            KINDS["lighttpd"](own, "/chat") as site:
        text = own.config_file.read_text()
        own.config_file.write_text("nonsense: [")
        os.kill(own.pids[0], signal.SIGHUP)
        wait_until("its word", lambda: "did not start" in own.log("responder"))
        own.config_file.write_text(text)
        assert site.get("/health").status == 200
        own.restart()
        assert site.get("/health").status == 200


def reload(pid):
    """What ExecReload of the sample unit runs."""
    return subprocess.run([RESPONDER, "-R", str(pid)], capture_output=True, text=True,
                          timeout=120)


def test_a_reload_that_failed_fails():
    with Succeeded(workspaces=WORKSPACES) as own, \
            KINDS["lighttpd"](own, "/chat") as site:
        text = own.config_file.read_text()
        own.config_file.write_text("nonsense: [")
        out = reload(own.pids[0])
        assert out.returncode == 1 and "did not start" in out.stderr, out
        assert site.get("/health").status == 200
        own.config_file.write_text(text)
        assert reload(own.pids[0]).returncode == 0
        own.pids.append(wait_until("the successor", own.successor))
        assert site.get("/health").status == 200
        assert reload(2 ** 22 + 1).returncode == 1	# nobody


def test_root_hears_the_answer_of_another_users_process():
    """By hand, as root: the responder's user cannot signal root."""
    answers = ("import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})\n"
               "print(flush=True)\nasked = signal.sigwaitinfo({signal.SIGHUP})\n"
               "os.kill(asked.si_pid, signal.SIGUSR1)\n")
    user = 65534 if os.geteuid() == 0 else None
    with subprocess.Popen([sys.executable, "-c", answers], user=user, group=user,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert reload(process.pid).returncode == 0
        assert process.wait(30) == 0


def test_the_sample_units():
    """A broken configuration must not use up starts: the socket would be closed."""
    conf = pathlib.Path(__file__).resolve().parents[2] / "conf"
    service = (conf / "lamplighter.service.in").read_text()
    assert "\nExecReload=@pkglibexecdir@/lamplighter.fcgi -R $MAINPID\n" in service
    assert "\nStartLimitIntervalSec=0\n" in service.split("[Service]")[0]
    assert "\nTriggerLimitIntervalSec=0\n" in (conf / "lamplighter.socket.in").read_text()


def test_stop_serves_who_waits_in_the_queue():
    """Connections that were made before the stop, to a socket of our own."""
    with Deployment(workspaces=WORKSPACES) as own:
        old = own.processes["responder"]
        old.send_signal(signal.SIGSTOP)
        # A worker that is stopped while it reads would lose its connection.
        threads = [f"{old.pid}/task/{id}" for id in
                   os.listdir(f"/proc/{old.pid}/task")]
        wait_until("it to be stopped", lambda: all(
            state(thread) in (None, "T") for thread in threads))
        with contextlib.ExitStack() as stack:
            waiting = [stack.enter_context(socket.socket(socket.AF_UNIX))
                       for _ in range(20)]
            for peer in waiting:
                peer.connect(own.responder_socket)
                peer.sendall(health())
            old.send_signal(signal.SIGTERM)
            old.send_signal(signal.SIGCONT)
            for peer in waiting:
                assert b"Status: 200" in whole(peer)
        assert own.stop("responder") == 0
        assert not os.path.exists(own.responder_socket)


def health():
    """GET /health as FastCGI has it."""
    params = b"".join(
        bytes([len(name), len(value)]) + name + value for name, value in (
            (b"REQUEST_METHOD", b"GET"), (b"LAMPLIGHTER_BASE", b"/chat"),
            (b"REQUEST_URI", b"/chat/api/v1/health")))
    records = ((1, b"\0\1\0\0\0\0\0\0"), (4, params), (4, b""), (5, b""))
    return b"".join(bytes([1, kind, 0, 1, 0, len(body), 0, 0]) + body
                    for kind, body in records)


def whole(peer):
    text = b""
    while part := peer.recv(65536):
        text += part
    return text


def test_notify_socket_is_told():
    """As systemd has it for Type=notify: ready, and which process is the main."""
    with contextlib.ExitStack() as stack:
        notify = stack.enter_context(socket.socket(
            socket.AF_UNIX, socket.SOCK_DGRAM))
        notify.bind("")		# an abstract name of the kernel's choice
        name = "@" + notify.getsockname()[1:].decode()
        notify.settimeout(30)
        own = stack.enter_context(Succeeded(
            workspaces=WORKSPACES, responder_env={"NOTIFY_SOCKET": name}))
        assert notify.recv(100) == b"READY=1"
        own.restart()
        told = {notify.recv(100), notify.recv(100)}
        assert told == {b"READY=1", b"MAINPID=%d" % own.pids[-1]}

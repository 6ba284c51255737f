# SPDX-License-Identifier: MIT
"""Mixed clients against the real program, for as long as one wants.

    with-mariadb python3 tests/soak/stress.py SECONDS [SEED]

Clients of three users send, stream, cancel, edit, delete, fork, follow, decide,
listen to notifications, open plain pages and speak every dialect, on
conversations that they share, while the configuration changes and the responder
is killed or stopped and started again. A failure is

- an answer of 5xx but 503, and but for what the model did wrong, where the
  responder was not just then killed;
- an answer that is no valid UTF-8, no JSON where it says so, has another user's
  words, or a secret of the deployment;
- a responder that ended by itself, or not with 0 when it was asked to;
- a lie in the database: two turns of a conversation at once, steps of turns that
  overlap, events twice, a tool that ran oftener than it was allowed to.

Reports of sanitizers are looked for by who starts this (tests/run.sh).
"""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time
import urllib.parse
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lab import Lab, wait_until  # noqa: E402

USERS = ("ada", "bob", "eve")
CLIENTS = 8
ONE_READ_S = 60		# of a client, under a sanitizer on a busy machine
STREAM_S = 10		# then a client leaves
SWAP_S = (2, 5)
DOWN_S = (6, 12)
POOL = 40		# conversations and turns that clients know of
SHOWN = 20		# failures that are printed
LINE = {"type": "object", "required": ["text"], "additionalProperties": False,
        "properties": {"text": {"type": "string", "maxLength": 200}}}
# What the model does; its tools' texts begin with it.
KINDS = ("text", "text", "slow", "note", "drop", "drop", "page", "cut", "broken",
         "error", "html")
JSON = {"Content-Type": "application/json"}
ENDED = "the responder ended: "


def shell(script):
    return {"run": ["/bin/sh", "-c", script]}


class Stress(Lab):
    def __init__(self):
        super().__init__(workspaces=self.workspaces_of("Lab"), config={
            "limits": {"body_bytes": 65536, "approval_s": 3600},
            "threads": {"max": 64, "max_turns": 24}})
        self.runs_file = self.dir / "runs"
        self.runs_file.touch()
        self.overrides["tools"] = self.tools()

    def tools(self):
        log = shell(f"cat >> {self.runs_file}; echo >> {self.runs_file};"
                    " echo '{\"noted\":true}'")
        one = {"kind": "command", "parameters": LINE, "untrusted": False,
               "command": log}
        return {
            "note": {**one, "description": "Writes.", "effect": "write"},
            "drop": {**one, "description": "Drops.", "effect": "destructive"},
            "page": {"kind": "command", "description": "Reads a page.",
                     "command": {"run": ["/bin/echo", "Hello from a page."]}},
        }

    @staticmethod
    def workspaces_of(name):
        return {"lab": {"workspace": "lab", "name": name, "agents": [
            {"id": "helper", "name": "Helper", "default": True},
            {"id": "claude", "name": "Anthropic wire", "llm_service": "claude"},
            {"id": "llama", "name": "Ollama wire", "llm_service": "llama"}]}}

    def swap(self, n):
        """Another configuration; the file is never there in part."""
        file = self.config_file
        self.workspaces = self.workspaces_of(f"Lab {n}")
        self.overrides["limits"]["message_chars"] = 5000 + n % 7
        try:
            self.config_file = self.dir / "next.yaml"
            self.write_config()
            os.replace(self.config_file, file)
        finally:
            self.config_file = file

    def runs(self):
        return collections.Counter(
            json.loads(line)["text"]
            for line in self.runs_file.read_text().splitlines() if line)


class Pool:
    """The newest of what clients have seen, of one user."""

    def __init__(self):
        self.seen = collections.deque(maxlen=POOL)

    def add(self, item):
        if item and item not in self.seen:
            self.seen.append(item)

    def any(self):
        with contextlib.suppress(IndexError, RuntimeError):
            return random.choice(self.seen)
        return str(uuid.uuid4())


class Run:
    """What all threads share."""

    def __init__(self, lab, seconds):
        self.lab, self.end = lab, time.monotonic() + seconds
        self.lock = threading.Lock()
        self.failures = []
        self.statuses = collections.Counter()
        self.actions = collections.Counter()
        self.counts = collections.Counter()
        self.epoch = 0		# even: the responder is up; odd: it is down
        self.up = threading.Event()	# set while it is
        self.up.set()
        self.conversations = {u: Pool() for u in USERS}
        self.turns = {u: Pool() for u in USERS}
        self.approved = collections.defaultdict(set)	# text: approval ids
        self.secrets = [s.encode() for s in (
            "lab-secret-of-the-proxy",
            os.environ.get("LAMPLIGHTER_TEST_DB_PASSWORD", "")) if s]

    def over(self):
        return time.monotonic() > self.end

    def fail(self, text):
        with self.lock:
            self.failures.append(text)

    def count(self, what, key):
        with self.lock:
            what[key] += 1


def text_of_body(run, what, user, headers, body):
    """The body, checked for what must never be in one."""
    try:
        text = body.decode()
    except UnicodeDecodeError as e:
        run.fail(f"{what}: not UTF-8: {body[max(0, e.start - 60):e.end + 60]!r}")
        return ""
    if any(c < " " and c not in "\t\n\r" for c in text):
        run.fail(f"{what}: control characters: {body[:300]!r}")
    for other in USERS:
        if other != user and f"words-of-{other}" in text:
            run.fail(f"{what}: {user} reads {other}'s words")
    for secret in run.secrets:
        if secret in body:
            run.fail(f"{what}: a secret in the body")
    if "json" in headers.get("Content-Type", "") and body:
        with checked(run, what, body):
            json.loads(text)
    return text


@contextlib.contextmanager
def checked(run, what, seen):
    try:
        yield
    except ValueError:
        run.fail(f"{what}: not JSON: {seen[:300]!r}")


class Client(threading.Thread):
    """One of several, as one of the users."""

    def __init__(self, run, number, seed):
        super().__init__(name=f"client {number}")
        self.r, self.lab = run, run.lab
        self.user = USERS[number % len(USERS)]
        self.random = random.Random(f"{seed}/{number}")
        self.actions = [getattr(self, n) for n in dir(self)
                        if n.startswith("do_")]
        self.start()

    def run(self):
        while not self.r.over():
            action = self.random.choice(self.actions)
            epoch = self.r.epoch
            if epoch % 2:		# it is down
                self.r.up.wait(ONE_READ_S)
                continue
            self.r.count(self.r.actions, action.__name__[3:])
            try:
                action()
            except (OSError, http.client.HTTPException) as e:
                if epoch == self.r.epoch:
                    self.r.fail(f"{action.__name__}: {e!r}")
            except Exception as e:		# the driver's own mistake, or a lie
                self.r.fail(f"{action.__name__}: {e!r}")

    # -- one request ------------------------------------------------------------

    def request(self, method, path, body=None, leave=False, headers=None):
        """(status, text). leave: the client goes after the first bytes of a
        stream."""
        what = f"{method} {path.partition('?')[0]}"
        epoch = self.r.epoch
        connection, response = self.lab.open(
            method, path, body, user=self.user, headers=headers,
            timeout_s=ONE_READ_S)
        with contextlib.closing(connection):
            data, cut = self.read(response, leave)
        # A kill cuts answers, also in the middle of a character.
        if cut and epoch == self.r.epoch and epoch % 2 == 0:
            self.r.fail(f"{what}: cut short: {data[-200:]!r}")
        if epoch != self.r.epoch or epoch % 2:
            return response.status, data.decode(errors="replace")
        self.r.count(self.r.statuses, response.status)
        # What the model did wrong is told as 502 or 504, with a code.
        if response.status >= 500 and response.status != 503 and \
                b'"code":"upstream_' not in data:
            self.r.fail(f"{what}: {response.status} {data[:400]!r}")
        text = text_of_body(self.r, what, self.user, response.headers, data)
        return response.status, text

    def read(self, response, leave):
        """(what came, whether the responder cut it). A stream is left after a
        while, as the follower of a turn that waits for somebody has to; what came
        of it then is taken up to its last whole event."""
        data, end = b"", time.monotonic() + (0 if leave else STREAM_S)
        streamed = "event-stream" in response.headers.get("Content-Type", "")
        try:
            while part := response.read1(65536):
                data += part
                if streamed and (time.monotonic() > end or self.r.over()):
                    return data[:data.rfind(b"\n\n") + 2], False
        except http.client.IncompleteRead as e:
            return data + e.partial, True
        return data, False

    def events(self, text, what):
        """The data of a stream's events; whole ones only."""
        out = []
        for part in text.split("\n\n")[:-1]:
            data = "\n".join(line[5:].strip() for line in part.split("\n")
                             if line.startswith("data:"))
            if data and data != "[DONE]":
                with checked(self.r, what, data):
                    out.append(json.loads(data))
        return out

    # -- what the model does ----------------------------------------------------

    def script(self, kind=None, text=None):
        """The user's own words are in it, so that they can be looked for."""
        words = f"words-of-{self.user} wörld 👋 " + "tell " * self.random.randrange(40)
        kind = kind or self.random.choice(KINDS)
        call = {"args": {"text": text or f"{kind}-{uuid.uuid4().hex}"}}
        rate = self.random.choice((0, 200, 60))
        script = {
            "text": {"text": words, "rate": rate},
            "slow": {"text": words, "rate": 20, "first_byte_ms": 300},
            "note": {"narration": "First. ", "rate": rate, "tool_calls": [
                {"name": "note", **call}], "then": {"text": words}},
            "drop": {"tool_calls": [{"name": "drop", **call}],
                     "then": {"text": words, "rate": rate}},
            "page": {"tool_calls": [{"name": "page", "args": {}}],
                     "then": {"text": words}},
            "cut": {"text": words, "cut_after": 3},
            "broken": {"text": words, "garbage_after": 2},
            "error": {"error": {"status": 429, "body": "slow down"}},
            "html": {"html": True},
            "typed": {"text": json.dumps({"a": words}), "rate": rate},
        }[kind]
        return "!script " + json.dumps(script, ensure_ascii=False)

    def learn(self, record):
        """The ids that an answer names."""
        if isinstance(record, dict):
            for key in ("conversationId", "conversation_id"):
                if isinstance(record.get(key), str):
                    self.r.conversations[self.user].add(record[key])
            for key in ("turnId", "turn_id", "runningTurnId"):
                if isinstance(record.get(key), str):
                    self.r.turns[self.user].add(record[key])

    def send(self, path, body, leave=None):
        if leave is None:
            leave = self.random.random() < 0.3
        _, text = self.request("POST", path, body, leave=leave)
        if text.startswith("{"):
            with contextlib.suppress(ValueError):
                self.learn(json.loads(text))
        for record in self.events(text, path) if "data:" in text else ():
            self.learn(record)
        return text

    def conversation(self):
        return self.r.conversations[self.user].any()

    def turn(self):
        return self.r.turns[self.user].any()

    def agent(self):
        return self.random.choice(("helper", "claude", "llama"))

    # -- what clients do ----------------------------------------------------------

    def do_stream(self):
        body = {"content": self.script(), "agentId": self.agent()}
        if self.random.random() < 0.5:
            body["conversationId"] = self.conversation()
        self.send("/chat/lab/stream", body)

    def do_stream_and_change(self):
        """The audit's own: the ground goes away under a turn that begins."""
        status, text = self.request("POST", "/conversations",
                                    {"workspaceId": "lab"})
        if status != 201:
            return
        conversation = json.loads(text)["conversationId"]
        path = (f"/workspaces/lab/agents/helper/conversations/{conversation}"
                "/messages")
        sender = threading.Thread(target=self.quietly, args=(
            "POST", path, {"content": self.script("slow")}))
        sender.start()
        for _ in range(50):
            _, text = self.request("GET", f"/conversations/{conversation}")
            with contextlib.suppress(ValueError, AttributeError):
                turn = json.loads(text).get("runningTurnId")
                if turn:
                    self.request("POST", f"/turns/{turn}/cancel", {})
                    break
            if not sender.is_alive():
                break
        self.request("DELETE", f"/conversations/{conversation}")
        sender.join()

    def quietly(self, *request):
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.request(*request)

    def do_send(self):
        path = (f"/workspaces/lab/agents/{self.agent()}/conversations/"
                f"{self.conversation()}/messages")
        self.send(path, {"content": self.script()}, leave=False)

    def do_dialect(self):
        dialect = self.random.choice(("v2", "forge", "ai-sdk", "ag-ui", "openai"))
        self.send(f"/chat/lab/stream?dialect={dialect}",
                  {"content": self.script(), "agentId": self.agent()})

    def do_agent_stream(self):
        self.send("/agent/stream", {"workspaceId": "lab",
                                    "message": self.script()})

    def do_ai_sdk(self):
        self.send("/ai-sdk/lab", {
            "id": self.random.choice(("a", "b", "c")) + self.user,
            "trigger": "submit-message", "messages": [{
                "id": uuid.uuid4().hex, "role": "user", "parts": [
                    {"type": "text", "text": self.script()}]}]})

    def do_ag_ui(self):
        self.send("/ag-ui/lab", {
            "threadId": self.random.choice(("a", "b", "c")) + self.user,
            "runId": uuid.uuid4().hex, "state": {}, "tools": [], "context": [],
            "forwardedProps": {}, "messages": [
                {"id": uuid.uuid4().hex, "role": "user",
                 "content": self.script()}]})

    def do_openai(self):
        base = urllib.parse.quote(self.lab.base)
        self.send(f"/{base}/openai/v1/chat/completions", {
            "model": f"lab/{self.agent()}", "stream": self.random.random() < 0.5,
            "messages": [{"role": "user", "content": self.script("text")}]})

    def do_complete(self):
        self.send("/chat/lab/complete", {
            "input": self.script(self.random.choice(("typed", "text"))),
            "schema": {"type": "object"}}, leave=False)

    def do_task(self):
        self.send("/tasks", {"workspaceId": "lab", "content": self.script(),
                             "conversationId": self.conversation()}, leave=False)

    def do_once(self):
        """Of nobody else's: it must run once at most, whatever is killed."""
        self.request("POST", "/chat/lab/stream", {
            "content": self.script("note", f"once-{uuid.uuid4().hex}")})

    def do_cancel(self):
        self.request("POST", f"/turns/{self.turn()}/cancel", {})

    def do_continue(self):
        self.send(f"/turns/{self.turn()}/continue", {})

    def do_regenerate(self):
        self.send(f"/conversations/{self.conversation()}/regenerate", {})

    def rows(self, conversation):
        status, text = self.request(
            "GET", f"/conversations/{conversation}/messages?pageSize="
            f"{self.random.choice((2, 30, 100))}")
        try:
            return json.loads(text)["items"] if status == 200 else []
        except ValueError:
            return []

    def row(self, conversation, role=None):
        rows = [r for r in self.rows(conversation)
                if not role or r["role"] == role]
        return self.random.choice(rows)["messageId"] if rows else \
            f"{conversation}.1"

    def do_edit(self):
        conversation = self.conversation()
        self.send(f"/conversations/{conversation}/edit", {
            "messageId": self.row(conversation, "user"),
            "content": self.script()})

    def do_fork(self):
        conversation = self.conversation()
        self.send(f"/conversations/{conversation}/fork", {
            "messageId": self.row(conversation)}, leave=False)

    def do_variants(self):
        conversation = self.conversation()
        path = f"/conversations/{conversation}/variants"
        status, text = self.request(
            "GET", f"{path}?messageId={self.row(conversation)}&pageSize=100")
        with contextlib.suppress(ValueError, KeyError, IndexError):
            one = self.random.choice(json.loads(text)["items"])
            self.request("POST", path, {"messageId": one["messageId"]})

    def do_rename(self):
        self.request("PATCH", f"/conversations/{self.conversation()}",
                     {"title": f"words-of-{self.user} ü"})

    def do_delete(self):
        if self.random.random() < 0.2:
            self.request("DELETE", f"/conversations/{self.conversation()}")

    def do_foreign(self):
        """Of another user: not there."""
        other = self.random.choice([u for u in USERS if u != self.user])
        place = self.random.choice((
            f"/conversations/{self.r.conversations[other].any()}",
            f"/conversations/{self.r.conversations[other].any()}/messages",
            f"/turns/{self.r.turns[other].any()}",
            f"/turns/{self.r.turns[other].any()}/events?wait=0"))
        epoch = self.r.epoch
        status, _ = self.request("GET", place)
        if status == 200 and epoch == self.r.epoch:
            self.r.fail(f"GET {place}: {self.user} reads what is {other}'s")

    def do_follow(self):
        after = self.random.choice(("", "?after=0", "?after=3"))
        self.request("GET", f"/turns/{self.turn()}/events{after}",
                     leave=self.random.random() < 0.5)

    def do_poll(self):
        self.request("GET", f"/turns/{self.turn()}/events?wait=1&after=0")

    def do_turn(self):
        self.request("GET", f"/turns/{self.turn()}")

    def do_decide(self):
        status, text = self.request("GET", "/approvals")
        if status != 200:
            return
        try:
            asked = json.loads(text)["items"]
        except ValueError:
            return
        if not asked:
            return
        one = self.random.choice(asked)
        decision = self.random.choice(("approve", "approve", "deny"))
        if decision == "approve":
            with self.r.lock:
                text = one["arguments"].get("text")	# `page` has none
                self.r.approved[text].add(one["approvalId"])
        self.send(f"/turns/{one['turnId']}/approvals", {
            "approvalId": one["approvalId"], "decision": decision})

    def do_notifications(self):
        self.request("GET", "/notifications?wait=1&after=0")

    def do_notification_stream(self):
        self.request("GET", "/notifications", leave=True)

    def do_lists(self):
        for path in ("/me", "/workspaces", "/workspaces/lab/agents",
                     "/conversations?q=words", "/approvals", "/ready"):
            self.request("GET", path)

    def do_plain(self):
        base = "/" + urllib.parse.quote(self.lab.base)
        for path in ("/plain/", "/plain/new",
                     f"/plain/conversations/{self.conversation()}",
                     f"/plain/turns/{self.turn()}?steps=1"):
            self.request("GET", base + path)

    def do_nonsense(self):
        self.request(*self.random.choice((
            ("GET", "/conversations?cursor=AAAA"),
            ("GET", "/turns/%00/events"),
            ("POST", "/conversations", b"{\"workspaceId\":\"\xff\"}",
             False, JSON),
            ("POST", "/chat/lab/stream", "[" * 3000, False, JSON),
            ("POST", "/chat/lab/complete", {"input": "x", "schema": {
                "properties": {"a": {"pattern": "(a?){10000}"}}}}),
            ("DELETE", "/conversations"))))


class Keeper(threading.Thread):
    """Changes the configuration, and ends and starts the responder."""

    def __init__(self, run, seed):
        super().__init__(name="keeper")
        self.r, self.lab = run, run.lab
        self.random = random.Random(f"{seed}/keeper")
        self.start()

    def run(self):
        now = time.monotonic()
        swap = now + self.random.uniform(*SWAP_S)
        down = now + self.random.uniform(*DOWN_S)
        try:
            while not self.r.over():
                now = time.monotonic()
                if now > swap:
                    self.r.counts["swaps"] += 1
                    self.lab.swap(self.r.counts["swaps"])
                    swap = now + self.random.uniform(*SWAP_S)
                if now > down:
                    self.restart()
                    down = time.monotonic() + self.random.uniform(*DOWN_S)
                if self.lab.processes["responder"].poll() is not None:
                    self.r.fail(ENDED + self.lab.log("responder")[-2000:])
                    self.restart(ended=True)
                self.look()
                time.sleep(0.1)	# its pace: nothing waits for it
        except Exception as e:
            self.r.fail(f"keeper: {e!r}")

    def look(self):
        """One turn holds a conversation at any moment."""
        now = int(time.time() * 1e6)
        twice = self.lab.sql(
            "SELECT HEX(conversation_id), COUNT(*) FROM turn WHERE status = 1"
            f" AND lease_until_us > {now} GROUP BY conversation_id"
            " HAVING COUNT(*) > 1")
        if twice:
            self.r.fail(f"two running turns in a conversation: {twice}")

    def restart(self, ended=False):
        kind = self.random.choice((signal.SIGKILL, signal.SIGKILL,
                                   signal.SIGTERM))
        self.r.up.clear()
        self.r.epoch += 1
        if not ended:
            self.r.counts["kills" if kind == signal.SIGKILL else "stops"] += 1
            stop(self.r, kind)
        self.lab.start_responder()
        # The web server tries again after a second.
        wait_until("the web server to see it",
                   lambda: self.lab.get("/health").status == 200, ONE_READ_S)
        self.r.epoch += 1
        self.r.up.set()


def stop(run, kind):
    status = run.lab.stop("responder", sig=kind, deadline_s=120)
    if kind == signal.SIGTERM and status != 0:
        run.fail(f"{ENDED}with {status}, asked to\n"
                 + run.lab.log("responder")[-2000:])


LIES = {
    "events of a turn overlap":
        "SELECT HEX(turn_id), seq FROM (SELECT turn_id, seq, seq + n AS next,"
        " LEAD(seq) OVER (PARTITION BY turn_id ORDER BY seq) AS follower"
        " FROM turn_event) e WHERE follower < next",
    "parts of a turn in a journal overlap":
        "SELECT HEX(turn), last FROM (SELECT turn, last, LEAD(first) OVER"
        " (PARTITION BY process, turn ORDER BY number) AS follower FROM"
        " (SELECT process, number, SUBSTR(turns, 32 * seq + 1, 16) AS turn,"
        " CONV(HEX(SUBSTR(turns, 32 * seq + 17, 4)), 16, 10) + 0 AS first,"
        " CONV(HEX(SUBSTR(turns, 32 * seq + 21, 4)), 16, 10) + 0 AS last"
        " FROM turn_journal JOIN seq_0_to_4095 ON 32 * seq < LENGTH(turns)) parts) e"
        " WHERE follower <= last",
    "a conversation is held by a turn that is over":
        "SELECT HEX(c.id), t.status FROM conversation c LEFT JOIN turn t"
        " ON t.id = c.running_turn_id WHERE c.running_turn_id IS NOT NULL"
        " AND (t.status IS NULL OR t.status NOT IN (1, 2))",
    "a turn waits or runs that its conversation does not know":
        "SELECT HEX(t.id), t.status FROM turn t JOIN conversation c"
        " ON c.id = t.conversation_id WHERE t.status IN (1, 2)"
        " AND NOT c.running_turn_id <=> t.id",
    "the steps of turns overlap":
        "SELECT HEX(conversation_id), HEX(turn_id), COUNT(*) FROM (SELECT"
        " conversation_id, turn_id, turn_id <=> LAG(turn_id) OVER (PARTITION BY"
        " conversation_id ORDER BY seq) AS same FROM message) m WHERE NOT same"
        " AND turn_id IS NOT NULL GROUP BY conversation_id, turn_id"
        " HAVING COUNT(*) > 1",
    "a decision was taken up without being made":
        "SELECT HEX(id) FROM turn_wait WHERE used_us IS NOT NULL"
        " AND decided_us IS NULL",
}


def check_rows(run):
    for what, query in LIES.items():
        rows = run.lab.sql(query)
        if rows:
            run.fail(f"{what}: {rows[:5]}")
    for text, n in run.lab.runs().items():
        if text.startswith("once-") and n > 1 or text.startswith("drop-") and \
                n > len(run.approved[text]):
            run.fail(f"a tool ran {n} times with {text}, approved"
                     f" {len(run.approved[text])} times")


def check_turns(run):
    """What is left is over, and told once and in order."""
    lab = run.lab
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    for user in USERS:
        for turn in list(run.turns[user].seen):
            answer = lab.get(f"/turns/{turn}", user=user)
            if answer.status == 404:		# deleted
                continue
            if answer.json["status"] == "running":
                run.fail(f"turn {turn} still runs without anybody")
            if answer.json["status"] == "waiting":
                continue
            page = lab.get(f"/turns/{turn}/events?wait=0&after=0", user=user)
            text_of_body(run, "events", user, page.headers, page.body)
    left = lab.sql("SELECT HEX(conversation_id) FROM turn WHERE status = 1")
    for [conversation] in left:
        # Nobody's turn that was seen: its next reader closes it.
        for user in USERS:
            lab.get(f"/conversations/{uuid.UUID(conversation)}", user=user)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = sys.argv[2] if len(sys.argv) > 2 else str(os.getpid())
    print(f"stress: {seconds:.0f} s, seed {seed}", flush=True)
    with Stress() as lab:
        run = Run(lab, seconds)
        threads = [Client(run, i, seed) for i in range(CLIENTS)]
        threads.append(Keeper(run, seed))
        for thread in threads:
            thread.join()
        stop(run, signal.SIGTERM)
        lab.start_responder()
        wait_until("the web server to see it",
                   lambda: lab.get("/health").status == 200, ONE_READ_S)
        check_turns(run)
        check_rows(run)
        stop(run, signal.SIGTERM)
        turns = lab.sql("SELECT COUNT(*) FROM turn")[0][0]
        tools = sum(lab.runs().values())
    # What else failed may only follow from its end.
    run.failures.sort(key=lambda f: not f.startswith(ENDED))
    for failure in run.failures[:SHOWN]:
        print("FAIL:", failure)
    if len(run.failures) > SHOWN:
        print(f"and {len(run.failures) - SHOWN} more")
    print("actions:", dict(run.actions))
    print(f"stress: {sum(run.statuses.values())} answers"
          f" {dict(sorted(run.statuses.items()))}, {turns} turns kept,"
          f" {tools} tool runs, {run.counts['kills']} kills,"
          f" {run.counts['stops']} stops, {run.counts['swaps']} swaps,"
          f" {len(run.failures)} failures")
    return 1 if run.failures or not run.statuses[200] else 0


if __name__ == "__main__":
    sys.exit(main())

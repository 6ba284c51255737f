# SPDX-License-Identifier: MIT
"""The laboratory: everything that the API tests, fault tests and benches run against.

A Lab is one private deployment in a scratch directory: the stand-in model, the
responder on its own socket and lighttpd in front, with a configuration made
from a dict. MariaDB is the one that tests/unit/with-mariadb started (its
environment variables say where); each Lab has a database of its own in it.
Nothing here sleeps: readiness is polled with a deadline.
"""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("LAMPLIGHTER_BUILD", ROOT / "build"))
RESPONDER = BUILD / "lamplighter.fcgi"
EXTRACT = BUILD / "lamplighter-extract"
EXTRACT_FILE = BUILD / "lamplighter-extract-file"
COMMAND = BUILD / "lamplighter"
DEMO_LLM = BUILD / "fcgi-app/demo-llm/lamplighter-demo-llm"
DEADLINE_S = 30
SILENCE_S = 120		# of a stream, but for its comments
os.environ.setdefault("LAMPLIGHTER_SQL_DIR", str(ROOT / "sql"))


def without_quarantine():
    """The environment of a responder whose memory is measured: a sanitizer keeps what
    is freed for a while, which would be counted."""
    options = os.environ.get("ASAN_OPTIONS", "log_path=stderr")
    return {"ASAN_OPTIONS": f"{options}:quarantine_size_mb=0:"
                            "thread_local_quarantine_size_kb=0"}


def wait_until(what, condition, deadline_s=DEADLINE_S):
    """Polls condition() until it is true; its last value is returned."""
    end = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"timed out waiting for {what}")
        time.sleep(0.01)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert path, f"{name} is not installed"
    return path


def node():
    """The Node.js of the npm packages of tests, which is one version everywhere:
    what distributions have is too old for some of the clients."""
    found = sorted((ROOT / "tests/node_modules").glob("node-linux-*/bin/node"))
    assert found, "tests/node_modules is missing: npm ci --ignore-scripts in tests"
    return str(found[0])


def accepts(address):
    """Whether something accepts connections at (host, port) or a socket path."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as s:
        return s.connect_ex(address) == 0


def listens(pid, port):
    """Whether this process, and not another, listens there."""
    mine = set()
    with contextlib.suppress(OSError):		# it has ended
        for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                mine.add(os.readlink(fd))
    for table in ("tcp", "tcp6"):
        text = pathlib.Path("/proc/net", table).read_text()
        for line in text.splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and int(local.rpartition(":")[2], 16) == port and \
                    f"socket:[{inode}]" in mine:
                return True
    return False


def as_yaml(value):
    """JSON is YAML; one file format less to write by hand."""
    return json.dumps(value, indent=1, ensure_ascii=False)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Event:
    def __init__(self, name, data, id):
        self.name, self.data, self.id = name, data, id

    def __repr__(self):
        return f"{self.name}:{self.data}"


class Stream:
    """A text/event-stream answer, read event by event."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response
        self.status = response.status
        self.headers = response.headers
        self.comments = []

    def __iter__(self):
        name, data, id = "message", [], None
        since = time.monotonic()
        while line := self.response.readline():
            line = line.decode().rstrip("\n")
            if line == "":
                if data:
                    data = "\n".join(data)
                    yield Event(name, data if data == "[DONE]"
                                else json.loads(data), id)
                    since = time.monotonic()
                name, data = "message", []
            elif line.startswith(":"):
                self.comments.append(line[1:].strip())
                if time.monotonic() - since > SILENCE_S:
                    raise AssertionError(f"no event for {SILENCE_S} s")
            else:
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if field == "event":
                    name = value
                elif field == "data":
                    data.append(value)
                elif field == "id":
                    id = value

    def events(self):
        with contextlib.closing(self):
            return list(self)

    def close(self):
        self.response.close()
        self.connection.close()


def scripted(what):
    """A model that plays this script whatever it is asked."""
    name = "script:" + json.dumps(what, separators=(",", ":"))
    assert len(name) <= 200, len(name)
    return name


def results(events):
    """Of a turn's tools, in the order of their calls; they end in any."""
    order = [e.data["callId"] for e in events if e.name == "tool-call"]
    return sorted((e.data for e in events if e.name == "tool-result"),
                  key=lambda data: order.index(data["callId"]))


class Lab:
    model_options = ("--record", "200")	# of the stand-in model
    responder_options = {}	# of Popen
    files = None		# file_dir, of a test that sets it

    def __init__(self, base="/chat", config=None, workspaces=None, prompts=None,
                 responder_env=None, web=True, services=None, catalogue=None):
        """services: more LLM services; what they do not say is as of `demo`, or
        of the one that they are `like`."""
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="lamp-"))
        self.base = base
        self.port = free_port()
        self.responder_socket = str(self.dir / "fcgi.sock")
        self.config_file = self.dir / "lamplighter.yaml"
        self.database = "lab_" + self.dir.name.replace("-", "_")
        self.processes = {}
        self.responder_env = responder_env or {}
        self.with_web = web
        self.overrides = config or {}
        self.workspaces = workspaces
        self.prompts = prompts or {}
        self.catalogue = catalogue or {}
        self.services = services or {}

    # -- setting up ---------------------------------------------------------

    def __enter__(self):
        try:
            self.sql(f"CREATE DATABASE `{self.database}` CHARACTER SET utf8mb4"
                     " COLLATE utf8mb4_bin; GRANT ALL ON"
                     f" `{self.database}`.* TO"
                     f" {os.environ['LAMPLIGHTER_TEST_DB_USER']}@localhost",
                     database="")
            self.start_model()
            self.write_config()
            self.command("migrate")
            self.start_responder()
            if self.with_web:
                self.start_web()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.stop(name)
        with contextlib.suppress(Exception):
            self.sql(f"DROP DATABASE `{self.database}`", database="")
        if not os.environ.get("LAMPLIGHTER_KEEP"):
            shutil.rmtree(self.dir, ignore_errors=True)

    def spawn(self, name, argv, env=None, **kw):
        log = open(self.dir / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stderr=log,
            env={**os.environ, **(env or {})}, **{"stdout": log, **kw})
        log.close()
        return self.processes[name]

    def stop(self, name, sig=signal.SIGTERM, deadline_s=20):
        process = self.processes.pop(name)
        if process.poll() is None:
            process.send_signal(sig)
        try:
            return process.wait(deadline_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"{name} did not end on {sig!r}")

    def log(self, name):
        return (self.dir / f"{name}.log").read_text(errors="replace")

    def start_model(self):
        process = self.spawn("model", [DEMO_LLM, "--port", "0",
                                       *self.model_options],
                             stdout=subprocess.PIPE)
        line = process.stdout.readline().decode()
        self.model_port = int(line.rsplit(":", 1)[1])

    @property
    def model_url(self):
        return f"http://127.0.0.1:{self.model_port}"

    def sent(self):
        """Bodies of the requests that the model got since the last time."""
        taken = urllib.request.Request(self.model_url + "/demo/requests",
                                       method="DELETE")
        with urllib.request.urlopen(taken) as answer:
            return [r["body"] for r in json.load(answer)]

    def default_config(self):
        test_db = {
            "socket": os.environ["LAMPLIGHTER_TEST_DB_SOCKET"],
            "user": os.environ["LAMPLIGHTER_TEST_DB_USER"],
            "password": os.environ.get("LAMPLIGHTER_TEST_DB_PASSWORD", ""),
        }
        config = {
            "database": {**test_db, "name": self.database, "pool": 8},
            "log": {"level": "info"},
            "server": {"workers": 8000},	# as below: max-connections
            "identity": {"chain": [
                {"kind": "api_token"},
                {"kind": "trusted_header", "user_header": "X-Test-User",
                 "groups_header": "X-Test-Groups", "from": ["127.0.0.1"],
                 "secret_header": "X-Test-Secret", "secret": "lab-secret-of-the-proxy"},
                {"kind": "anonymous", "user": "guest", "name": "Guest"},
            ]},
            "roles": {
                "user": {"groups": ["*"], "permissions":
                         ["AIChat.*", "AI.Tokens.*", "AI.Chat.UseTool.*"]},
            },
            "llm_services": {
                "demo": {"provider": "openai_compatible", "model": "demo",
                         "url": self.model_url + "/v1",
                         "capabilities": ["chat", "tools"]},
                "claude": {"provider": "anthropic", "model": "demo",
                           "url": self.model_url, "api_key": "test",
                           "capabilities": ["chat", "tools"]},
                "llama": {"provider": "ollama", "model": "demo",
                          "url": self.model_url,
                          "capabilities": ["chat", "tools"]},
                "plain": {"provider": "openai_compatible", "model": "demo",
                          "url": self.model_url + "/v1",
                          "capabilities": ["chat"]},
            },
            "chat": {"llm_service": "demo"},
            # Tests look at what the model was sent: test_memory.py at this.
            "settings": {"rolling_summary": False},
            "databases": {"lab": {**test_db, "name": self.database, "pool": 4}},
        }
        known = config["llm_services"]
        for name, service in self.services.items():
            like = known[service.get("like", "demo")]
            known[name] = {**like, **service}
            known[name].pop("like", None)
        return config

    def write_config(self, overrides=None):
        config = self.default_config()
        for key, value in {**self.overrides, **(overrides or {})}.items():
            if isinstance(value, dict) and isinstance(config.get(key), dict):
                config[key] = {**config[key], **value}
            else:
                config[key] = value
        self.config_file.write_text(as_yaml(config))
        for folder, files in (("workspaces.d", self.workspaces or {
                "lab": {"workspace": "lab", "name": "Lab"}}),
                ("prompts.d", self.prompts), ("catalogue.d", self.catalogue)):
            path = self.dir / folder
            path.mkdir(exist_ok=True)
            for name, content in files.items():
                text = content if isinstance(content, str) else as_yaml(content)
                (path / f"{name}.yaml").write_text(text)

    def command(self, *argv, check=True, stdin=None):
        result = subprocess.run([COMMAND, "-c", self.config_file, *argv],
                                input=stdin, capture_output=True, text=True,
                                env={**os.environ, **self.responder_env})
        if check and result.returncode:
            raise AssertionError(f"lamplighter {argv}: {result.stdout}"
                                 f"{result.stderr}")
        return result

    def responder_argv(self):
        return [RESPONDER, "-c", self.config_file, "-s", self.responder_socket,
                "-r"]

    def start_responder(self, env=None):
        self.spawn("responder", self.responder_argv(),
                   env={**self.responder_env, **(env or {})},
                   **self.responder_options)
        process = self.processes["responder"]
        wait_until("the responder's socket", lambda: process.poll() is not None
                   or accepts(self.responder_socket))
        if process.poll() is not None:
            raise AssertionError("the responder ended: " + self.log("responder"))

    def web_config(self):
        base = self.base.rstrip("/")
        return f'''
server.port = {self.port}
server.bind = "127.0.0.1"
server.document-root = "{self.dir}/docroot"
server.max-fds = 16384
server.max-connections = 8000
server.listen-backlog = 4096
server.modules = ("mod_setenv", "mod_fastcgi", "mod_proxy", "mod_alias")
mimetype.assign = (".html" => "text/html; charset=utf-8", ".css" => "text/css",
 ".js" => "text/javascript", ".mjs" => "text/javascript", ".svg" => "image/svg+xml")
index-file.names = ("index.html")
$HTTP["url"] =~ "^{base}/(api|openai|plain)(/|$)" {{
  server.stream-response-body = 1
  setenv.set-environment = ("LAMPLIGHTER_BASE" => "{base}")
  fastcgi.server = ("{base}/" => (("socket" => "{self.responder_socket}",
    "check-local" => "disable", "tcp-fin-propagate" => "enable")))
}}
else $HTTP["url"] =~ "^/direct/" {{
  server.stream-response-body = 1
  proxy.server = ("" => (("host" => "127.0.0.1", "port" => {self.model_port})))
  proxy.header = ("map-urlpath" => ("/direct/" => "/"))
}}
else $HTTP["url"] =~ "^{base}/" {{
  alias.url = ("{base}/" => "{ROOT}/www/")
}}
'''

    def configure_web(self):
        """Writes what the web server reads, with self.port in it."""
        (self.dir / "docroot").mkdir(exist_ok=True)
        (self.dir / "lighttpd.conf").write_text(self.web_config())

    def web_argv(self):
        return [program("lighttpd"), "-D", "-f", self.dir / "lighttpd.conf"]

    web_env = {}

    def start_web(self):
        """On self.port, or another where somebody was faster: a free port may
        be another run's before the web server has it."""
        for _ in range(10):
            self.configure_web()
            process = self.spawn("web", self.web_argv(), env=self.web_env)
            wait_until("the web server", lambda: process.poll() is not None
                       or listens(process.pid, self.port))
            if process.poll() is None:
                return
            self.port = free_port()
        raise AssertionError("the web server does not start:\n"
                             + self.log("web"))

    # -- using it -----------------------------------------------------------

    @property
    def url(self):
        return (f"http://127.0.0.1:{self.port}"
                f"{urllib.parse.quote(self.base)}")

    @staticmethod
    def identity(user, groups=()):
        return {"X-Test-User": user, "X-Test-Groups": ",".join(groups) or "-",
                "X-Test-Secret": "lab-secret-of-the-proxy"}

    def open(self, method, path, body=None, headers=None, user=None, groups=(),
             timeout_s=60):
        """Sends one request; path is relative to {base}/api/v1."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=timeout_s)
        headers = {"Sec-Fetch-Site": "same-origin", **(headers or {})}
        if user:
            headers = {**self.identity(user, groups), **headers}
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        if isinstance(body, str):
            body = body.encode()
        if not path.startswith("//"):
            path = urllib.parse.quote(self.base.rstrip("/")) + "/api/v1" + path
        else:
            path = path[1:]
        connection.request(method, path, body, headers)
        return connection, connection.getresponse()

    def call(self, method, path, body=None, **kw):
        connection, response = self.open(method, path, body, **kw)
        with contextlib.closing(connection):
            return Answer(response.status, response.headers, response.read())

    def get(self, path, **kw):
        return self.call("GET", path, **kw)

    def post(self, path, body, **kw):
        return self.call("POST", path, body, **kw)

    def sign_in(self, user, **kw):
        """The user is known, which is noted behind an answer."""
        assert self.get("/me", user=user, **kw).status == 200
        wait_until(f"{user} is known", lambda: self.sql(
            f"SELECT 1 FROM user WHERE login = '{user}'"))

    def stream(self, path, body, **kw):
        return Stream(*self.open("POST", path, body, **kw))

    def chat(self, content, workspace="lab", user="ada", groups=(), **fields):
        """One turn; its events. content may be a script (a dict)."""
        if isinstance(content, dict):
            content = "!script " + json.dumps(content)
        stream = self.stream(f"/chat/{workspace}/stream",
                             {"content": content, **fields}, user=user,
                             groups=groups)
        if stream.status != 200:
            body = stream.response.read()
            stream.close()
            raise AssertionError(f"{stream.status} {body!r}")
        return stream.events()

    def cgi(self, path, body, user="ada"):
        """A POST to a process of its own, as a web server starts it for plain CGI."""
        body = json.dumps(body).encode()
        path = f"{self.base}/api/v1{path}"
        process = subprocess.Popen(
            [RESPONDER], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={
                **os.environ, "LAMPLIGHTER_CONFIG": str(self.config_file),
                "LAMPLIGHTER_BASE": self.base, "GATEWAY_INTERFACE": "CGI/1.1",
                "REQUEST_METHOD": "POST", "REQUEST_URI": path, "SCRIPT_NAME": "",
                "PATH_INFO": path, "QUERY_STRING": "", "SERVER_PROTOCOL": "HTTP/1.1",
                "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)),
                "HTTP_HOST": f"127.0.0.1:{self.port}", "REMOTE_ADDR": "127.0.0.1",
                "HTTP_SEC_FETCH_SITE": "same-origin", "HTTP_X_TEST_USER": user,
                "HTTP_X_TEST_GROUPS": "-",
                "HTTP_X_TEST_SECRET": "lab-secret-of-the-proxy"})
        process.stdin.write(body)
        process.stdin.close()
        return process

    def sql(self, text, database=None):
        """Runs SQL with all rights; rows as lists of strings."""
        database = self.database if database is None else database
        out = subprocess.run(
            ["mariadb", "--socket", os.environ["LAMPLIGHTER_TEST_DB_SOCKET"],
             "--user", os.environ["LAMPLIGHTER_TEST_DB_ROOT"],
             "--batch", "--skip-column-names", "--default-character-set=utf8mb4",
             *([database] if database else [])],
            input=text, capture_output=True, text=True, errors="replace")
        if out.returncode:
            raise AssertionError(out.stderr)
        return [line.split("\t") for line in out.stdout.splitlines()]

    @contextlib.contextmanager
    def locked(self, table, where, then=""):
        """Nobody can write the rows; with what happens to them then."""
        client = subprocess.Popen(
            ["mariadb", "--socket", os.environ["LAMPLIGHTER_TEST_DB_SOCKET"],
             "--user", os.environ["LAMPLIGHTER_TEST_DB_ROOT"], "--batch",
             "--skip-column-names", "--unbuffered", self.database],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            client.stdin.write(f"BEGIN; SELECT 1 FROM {table} WHERE {where} FOR UPDATE;"
                               " SELECT 'held';\n")
            client.stdin.flush()
            while client.stdout.readline() != "held\n":
                assert client.poll() is None
            yield
            client.stdin.write(f"{then}; COMMIT;\n" if then else "")
        finally:
            client.stdin.close()
            client.wait()

    def settled(self):
        """What follows answers, such as a title or a summary, is over."""
        wait_until("no job is there", lambda: self.sql(
            "SELECT 1 FROM job WHERE kind IN ('memory', 'after-turn')") == [])

    def waits_for_lock(self, statement):
        """Is a statement that contains this waiting for a row that another one holds? Not
        of innodb_trx: who asks it often gets the same copy each time."""
        state = self.sql("SHOW ENGINE INNODB STATUS")[0][2]
        return any("LOCK WAIT" in part and statement in part
                   for part in state.split("---TRANSACTION"))


class Twin(Lab):
    """A second responder and web server on another Lab's database and model."""

    def __init__(self, first, **kw):
        super().__init__(workspaces=first.workspaces, **kw)
        self.first = first
        self.database = first.database

    def __enter__(self):
        self.model_port = self.first.model_port
        self.write_config()
        self.start_responder()
        self.start_web()
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.stop(name)


def decode_cursor(cursor):
    padded = cursor + "=" * (-len(cursor) % 4)
    return json.loads(base64.urlsafe_b64decode(padded))

# SPDX-License-Identifier: MIT
"""Private MariaDB servers on loopback, several of which belong together: what a
cluster (galera.py) and a primary with its replica (replica.py) share. Every wait is
for a condition, with a limit that a busy machine keeps as well.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from lab import wait_until

START_S = 120


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert path, f"{name} is not installed"
    return path


def free_ports(n):
    """Of both kinds, and all at once, so that they differ."""
    with contextlib.ExitStack() as held:
        ports = []
        while len(ports) < n:
            s = held.enter_context(socket.socket())
            s.bind(("127.0.0.1", 0))
            ports.append(s.getsockname()[1])
        return ports


def near_root():
    """A new directory. A socket path has 107 bytes at most."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="lamp-gc."))
    if len(str(path)) > 80:
        path.rmdir()
        path = pathlib.Path(tempfile.mkdtemp(prefix="lamp-gc.", dir="/tmp"))
    return path


class SqlError(Exception):
    pass


class Server:
    """One of Servers. A kind of it says what else is in its `settings`, and when it
    is `ready`."""

    env = {}	# of its process, more than ours

    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.dir = cluster.dir / f"n{number}"
        self.socket = str(self.dir / "db.sock")
        self.process = None
        self.dir.mkdir(mode=0o700)
        (self.dir / "tmp").mkdir()
        (self.dir / "data").mkdir(mode=0o700)
        self.choose_ports()

    def choose_ports(self):
        [self.port] = free_ports(1)

    def settings(self):
        """Of my.cnf, behind those that all have."""
        return ""

    def options(self):
        """Of the program, for a start now."""
        return []

    def ready(self):
        return os.path.exists(self.socket) and self.status("Uptime") != ""

    def configure(self):
        (self.dir / "my.cnf").write_text(f"""[mariadbd]
{"user=root" if os.getuid() == 0 else ""}
datadir={self.dir}/data
socket={self.socket}
pid-file={self.dir}/db.pid
log-error={self.dir}/db.err
tmpdir={self.dir}/tmp
bind-address=127.0.0.1
port={self.port}
skip-name-resolve
character-set-server=utf8mb4
collation-server=utf8mb4_general_ci
max-allowed-packet=64M
max-connections=300
performance-schema=OFF
key-buffer-size=1M
aria-pagecache-buffer-size=4M
innodb-buffer-pool-size=48M
innodb-log-file-size=16M
innodb-flush-log-at-trx-commit=2
{self.settings()}""")

    def install(self):
        self.configure()
        shutil.rmtree(self.dir / "data")
        r = subprocess.run(
            [program("mariadb-install-db"),
             f"--defaults-file={self.dir}/my.cnf", "--force", "--wsrep-on=OFF",
             "--skip-log-bin", "--skip-test-db", "--skip-name-resolve",
             "--auth-root-authentication-method=normal"],
            capture_output=True, text=True, cwd=self.dir)
        assert r.returncode == 0, r.stdout + r.stderr

    def spawn(self, *more):
        out = open(self.dir / "out", "ab")
        self.process = subprocess.Popen(
            [program("mariadbd"), f"--defaults-file={self.dir}/my.cnf", *more],
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.dir,
            start_new_session=True,
            env={**os.environ, **self.env})
        out.close()

    def start(self, *more, limit_s=START_S):
        """Starts until it is ready. Where a port was taken meanwhile it tries others."""
        for _ in range(4):
            self.configure()
            self.spawn(*self.options(), *more)
            wait_until(f"server {self.number} to be ready",
                       lambda: self.process.poll() is not None or self.ready(),
                       limit_s)
            if self.process.poll() is None:
                return
            if "in use" in self.log():
                self.choose_ports()
        raise AssertionError(f"server {self.number} does not start:\n" + self.log())

    def log(self):
        text = ""
        for name in ("out", "db.err"):
            with contextlib.suppress(OSError):
                text += (self.dir / name).read_text(errors="replace")[-6000:]
        return text

    def running(self):
        return self.process is not None and self.process.poll() is None

    def sql(self, text, database="", timeout_s=60):
        """Rows as lists of texts, as root through the node's socket."""
        try:
            r = subprocess.run(
                [program("mariadb"), "--no-defaults", "-u", "root", "-N", "-B",
                 f"--socket={self.socket}", "--connect-timeout=10",
                 "--default-character-set=utf8mb4", database],
                input=text, capture_output=True, text=True, timeout=timeout_s)
        except subprocess.TimeoutExpired as e:
            raise SqlError("timed out") from e
        if r.returncode:
            raise SqlError(r.stderr.strip())
        return [line.split("\t") for line in r.stdout.splitlines()]

    def status(self, name):
        try:
            rows = self.sql(f"SHOW STATUS LIKE '{name}'", timeout_s=10)
        except SqlError:
            return ""
        return rows[0][1] if rows else ""

    def signal(self, sig):
        self.process.send_signal(sig)

    def kill(self):
        """At once, as a machine that loses its power."""
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            os.unlink(self.socket)

    def stop(self, limit_s=60):
        if not self.running():
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)


class Servers:
    """So many of a kind, in a directory that goes with them. `begin` starts them."""

    def __init__(self, kind, number, password):
        self.dir = near_root()
        self.password = password
        self.nodes = []
        self.nodes = [kind(self, i + 1) for i in range(number)]

    def __getitem__(self, i):
        return self.nodes[i]

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def accounts(self):
        lines = ["CREATE DATABASE IF NOT EXISTS lamplighter CHARACTER SET utf8mb4"
                 " COLLATE utf8mb4_bin;"]
        for host in ("localhost", "127.0.0.1"):
            who = f"lamplighter@'{host}'"
            lines.append(f"CREATE USER IF NOT EXISTS {who} IDENTIFIED BY"
                         f" '{self.password}'; GRANT ALL PRIVILEGES ON"
                         f" lamplighter.* TO {who}; GRANT ALL PRIVILEGES ON"
                         f" `t\\_%`.* TO {who}; GRANT ALL PRIVILEGES ON"
                         f" `lab\\_%`.* TO {who};")
        return "\n".join(lines)

    def environment(self):
        """How programs and tests find them."""
        return {
            "LAMPLIGHTER_TEST_CLUSTER": json.dumps({
                "ports": [n.port for n in self.nodes],
                "sockets": [n.socket for n in self.nodes],
                "pids": [n.process.pid for n in self.nodes]}),
            "LAMPLIGHTER_TEST_CLUSTER_SOCKETS":
                ":".join(n.socket for n in self.nodes),
            "LAMPLIGHTER_TEST_DB_SOCKET": self.nodes[0].socket,
            "LAMPLIGHTER_TEST_DB_USER": "lamplighter",
            "LAMPLIGHTER_TEST_DB_PASSWORD": self.password,
            "LAMPLIGHTER_TEST_DB_NAME": "lamplighter",
            "LAMPLIGHTER_TEST_DB_ROOT": "root",
            "LAMPLIGHTER_TEST_DB_DIR": str(self.dir),
        }

    def __exit__(self, *_):
        for node in reversed(self.nodes):
            if node.running():
                node.process.kill()
                node.process.wait()
        # What a node was starting at that moment ends with its parent.
        if not os.environ.get("LAMPLIGHTER_KEEP"):
            shutil.rmtree(self.dir, ignore_errors=True)

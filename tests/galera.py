"""Three MariaDB nodes of one Galera cluster on loopback.

    with Cluster() as c:
        c[0].sql("SELECT 1"); c[1].kill(); c[1].start(); c.wait_synced()

As a program: `galera.py COMMAND [ARG]...` runs the command with a cluster, which
finds it in LAMPLIGHTER_TEST_CLUSTER (see Cluster.environment). Every wait is for
a condition, with a limit that a busy machine keeps as well.
"""

import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from lab import wait_until

START_S = 120
NODES = 3
SCRIPTS = pathlib.Path(__file__).resolve().parent / "cluster"
PROVIDERS = ("/usr/lib/galera/libgalera_smm.so",
             "/usr/lib64/galera-4/libgalera_smm.so",
             "/usr/lib/libgalera_smm.so")


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert path, f"{name} is not installed"
    return path


def provider():
    for path in PROVIDERS:
        if os.path.exists(path):
            return path
    raise AssertionError("galera-4 is not installed")


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


class Node:
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
        self.port, self.group, self.ist = free_ports(3)

    def configure(self):
        nodes = self.cluster.nodes
        others = ",".join(f"127.0.0.1:{n.group}" for n in nodes if n is not self)
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
default-time-zone=+02:00
max-allowed-packet=64M
max-connections=300
performance-schema=OFF
key-buffer-size=1M
aria-pagecache-buffer-size=4M
innodb-buffer-pool-size=48M
innodb-log-file-size=16M
binlog-format=ROW
default-storage-engine=InnoDB
innodb-autoinc-lock-mode=2
innodb-flush-log-at-trx-commit=2
innodb-fast-shutdown=1
wsrep-on=ON
wsrep-provider={provider()}
wsrep-cluster-name=lamplighter-test
wsrep-cluster-address=gcomm://{others}
wsrep-node-name=n{self.number}
wsrep-node-address=127.0.0.1:{self.group}
wsrep-node-incoming-address=127.0.0.1:{self.port}
wsrep-sst-method=near
wsrep-slave-threads=2
wsrep-provider-options="gmcast.listen_addr=tcp://127.0.0.1:{self.group};\
ist.recv_addr=127.0.0.1:{self.ist};gcache.size=128M;\
evs.keepalive_period=PT0.5S;evs.inactive_check_period=PT0.25S;\
evs.suspect_timeout=PT{self.cluster.suspect_s}S;\
evs.inactive_timeout=PT{self.cluster.suspect_s * 2}S;\
evs.join_retrans_period=PT0.5S"
""")

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
            env={**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}"})
        out.close()

    def start(self, *more, limit_s=START_S):
        """Starts and joins. Where a port was taken meanwhile it tries others."""
        for _ in range(4):
            self.configure()
            self.spawn(*self.position(), *more)
            wait_until(f"node {self.number} to be synced",
                       lambda: self.process.poll() is not None or self.synced(),
                       limit_s)
            if self.process.poll() is None:
                return
            if "in use" in self.log():
                self.choose_ports()
        raise AssertionError(f"node {self.number} does not start:\n" + self.log())

    def state(self):
        try:
            text = (self.dir / "data/grastate.dat").read_text()
        except FileNotFoundError:		# not started yet
            text = "seqno: 0"
        return dict(re.findall(r"^(\w+):\s*(\S+)", text, re.M))

    def position(self):
        """What a node that was killed has, as an option: it does not know by
        itself, and would ask for everything."""
        state = self.state()
        if state["seqno"] != "-1":
            return []
        log = self.dir / "recover.err"
        subprocess.run([program("mariadbd"),
                        f"--defaults-file={self.dir}/my.cnf",
                        "--wsrep-recover", f"--log-error={log}"],
                       capture_output=True, cwd=self.dir, timeout=START_S)
        found = re.findall(r"Recovered position: (\S+)", log.read_text())
        log.unlink()
        return [f"--wsrep-start-position={found[-1]}"] if found else []

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

    def synced(self):
        return os.path.exists(self.socket) and \
            self.status("wsrep_local_state_comment") == "Synced" and \
            self.status("wsrep_ready") == "ON"

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

    def isolate(self, on=True):
        """It is cut off from the other nodes, though not from its clients."""
        with contextlib.suppress(SqlError):
            self.sql("SET GLOBAL wsrep_provider_options="
                     f"'gmcast.isolate={int(on)}'", timeout_s=10)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)


class Cluster:
    def __init__(self, suspect_s=3):
        self.suspect_s = suspect_s
        self.dir = near_root()
        self.password = secrets.token_hex(16)
        self.nodes = []
        self.nodes = [Node(self, i + 1) for i in range(NODES)]

    def __getitem__(self, i):
        return self.nodes[i]

    def __enter__(self):
        try:
            first = self.nodes[0]
            first.install()
            first.start("--wsrep-new-cluster")
            first.sql(self.accounts())
            first.stop()
            # The others start as copies: nothing has to be transferred.
            for node in self.nodes[1:]:
                shutil.copytree(first.dir / "data", node.dir / "data",
                                dirs_exist_ok=True)
                (node.dir / "data/galera.cache").unlink(missing_ok=True)
                (node.dir / "data/gvwstate.dat").unlink(missing_ok=True)
            first.start("--wsrep-new-cluster")
            for node in self.nodes[1:]:
                node.start()
            self.wait_synced()
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

    def __exit__(self, *_):
        for node in reversed(self.nodes):
            if node.running():
                node.process.kill()
                node.process.wait()
        # What a node was starting at that moment ends with its parent.
        if not os.environ.get("LAMPLIGHTER_KEEP"):
            shutil.rmtree(self.dir, ignore_errors=True)

    def wait_synced(self, limit_s=START_S):
        """All nodes run, know each other, and have what the others have."""
        wait_until("the cluster to be whole", lambda: all(
            n.running() and n.status("wsrep_cluster_size") == str(NODES)
            and n.synced() for n in self.nodes), limit_s)

    def heal(self):
        """Whatever was done to the nodes: all of them are back afterwards."""
        for node in self.nodes:
            if node.running():
                node.thaw()
                with contextlib.suppress(SqlError):
                    node.sql("SET GLOBAL read_only=0", timeout_s=10)
                node.isolate(False)
        if not any(n.running() for n in self.nodes):
            self.bootstrap()
        wait_until("a primary component", lambda: any(
            n.running() and n.status("wsrep_cluster_status") == "Primary"
            for n in self.nodes) or self.force_primary(), START_S)
        for node in self.nodes:
            if not node.running():
                node.start()
        self.wait_synced()

    def force_primary(self):
        """Too few are left for a quorum: the admin says which one counts."""
        left = [n for n in self.nodes if n.running()]
        if len(left) * 2 > NODES:
            return False
        with contextlib.suppress(SqlError):
            left[0].sql("SET GLOBAL wsrep_provider_options='pc.bootstrap=YES'",
                        timeout_s=10)
        return False

    def bootstrap(self):
        """All were stopped or killed: the one that has most comes first."""
        def seqno(node):
            found = node.position()
            return int((found[0] if found else node.state()["seqno"])
                       .rpartition(":")[2])
        first = max(self.nodes, key=seqno)
        state = first.dir / "data/grastate.dat"
        state.write_text(state.read_text().replace("safe_to_bootstrap: 0",
                                                   "safe_to_bootstrap: 1"))
        first.start("--wsrep-new-cluster")

    def environment(self):
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


if __name__ == "__main__":
    with Cluster() as cluster:
        sys.exit(subprocess.call(sys.argv[1:],
                                 env={**os.environ, **cluster.environment()}))

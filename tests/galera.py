# SPDX-License-Identifier: MIT
"""Three MariaDB nodes of one Galera cluster on loopback.

    with Cluster() as c:
        c[0].sql("SELECT 1"); c[1].kill(); c[1].start(); c.wait_synced()

As a program: `galera.py COMMAND [ARG]...` runs the command with a cluster, which
finds it in LAMPLIGHTER_TEST_CLUSTER (see Cluster.environment).
"""

import contextlib
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys

from lab import wait_until
from mariadbd import START_S, Server, Servers, SqlError, free_ports, program

NODES = 3
SCRIPTS = pathlib.Path(__file__).resolve().parent / "cluster"
PROVIDERS = ("/usr/lib/galera/libgalera_smm.so",
             "/usr/lib64/galera-4/libgalera_smm.so",
             "/usr/lib/libgalera_smm.so")


def provider():
    """The library; LAMPLIGHTER_TEST_GALERA names another than the installed one."""
    named = os.environ.get("LAMPLIGHTER_TEST_GALERA")
    for path in [named] if named else PROVIDERS:
        if os.path.exists(path):
            return path
    raise AssertionError(f"there is no {named}" if named
                         else "galera-4 is not installed")


class Node(Server):
    # 11.8 has the provider's options as variables, in a plugin, without those that
    # the tests need: it stays off.
    env = {"PATH": f"{SCRIPTS}:{os.environ['PATH']}"}

    def choose_ports(self):
        self.port, self.group, self.ist = free_ports(3)

    def settings(self):
        nodes = self.cluster.nodes
        others = ",".join(f"127.0.0.1:{n.group}" for n in nodes if n is not self)
        return f"""
default-time-zone=+02:00
binlog-format=ROW
default-storage-engine=InnoDB
innodb-autoinc-lock-mode=2
innodb-fast-shutdown=1
wsrep-on=ON
wsrep-provider={provider()}
loose-plugin-wsrep-provider=OFF
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
"""

    def state(self):
        try:
            text = (self.dir / "data/grastate.dat").read_text()
        except FileNotFoundError:		# not started yet
            text = "seqno: 0"
        return dict(re.findall(r"^(\w+):\s*(\S+)", text, re.M))

    def options(self):
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

    def ready(self):
        return os.path.exists(self.socket) and \
            self.status("wsrep_local_state_comment") == "Synced" and \
            self.status("wsrep_ready") == "ON"

    synced = ready

    def provider_set(self, name, value):
        self.sql(f"SET GLOBAL wsrep_provider_options='{name}={value}'", timeout_s=10)

    def isolate(self, on=True):
        """It is cut off from the other nodes, though not from its clients."""
        self.provider_set("gmcast.isolate", int(on))

    def count_for_all(self):
        """The admin says that this node is the cluster, though it has no quorum."""
        self.provider_set("pc.bootstrap", 1)


class Cluster(Servers):
    def __init__(self, suspect_s=3):
        self.suspect_s = suspect_s
        super().__init__(Node, NODES, secrets.token_hex(16))

    def begin(self):
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
                with contextlib.suppress(SqlError):
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
            left[0].count_for_all()
        return False

    def bootstrap(self):
        """All were stopped or killed: the one that has most comes first."""
        def seqno(node):
            found = node.options()
            return int((found[0] if found else node.state()["seqno"])
                       .rpartition(":")[2])
        first = max(self.nodes, key=seqno)
        state = first.dir / "data/grastate.dat"
        state.write_text(state.read_text().replace("safe_to_bootstrap: 0",
                                                   "safe_to_bootstrap: 1"))
        first.start("--wsrep-new-cluster")


if __name__ == "__main__":
    with Cluster() as cluster:
        sys.exit(subprocess.call(sys.argv[1:],
                                 env={**os.environ, **cluster.environment()}))

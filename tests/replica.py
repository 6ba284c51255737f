# SPDX-License-Identifier: MIT
"""A primary and its replica (GTID, semi-synchronous) on loopback, with the steps
of docs/scale.md.

    with Pair() as pair:
        pair.run("Hand over", pair[0], pair[1])
"""

import pathlib
import re
import shutil
import subprocess

from mariadbd import Server, Servers, program

DOC = pathlib.Path(__file__).resolve().parent.parent / "docs/scale.md"
PASSWORD = "replication-secret"


def steps(title):
    """The SQL of a section of the page: (server, statement), in order. A comment
    says on which server the lines below it are run."""
    text = DOC.read_text()
    section = re.search(rf"^### {title}\n(.*?)(?=^##|\Z)", text, re.M | re.S)
    assert section, title
    where = None
    for block in re.findall(r"^```sql\n(.*?)^```", section[1], re.M | re.S):
        for line in block.splitlines():
            if line.startswith("-- on "):
                where = line.removeprefix("-- on ").strip()
            elif line.strip():
                assert line.endswith(";"), line
                yield where, line


class Half(Server):
    """Of the pair: what the page says, with its own number."""

    def settings(self):
        found = re.search(r"^```ini\n(.*?)^```", DOC.read_text(), re.M | re.S)[1]
        return found.replace("[mariadbd]", "").replace(
            "server_id=1", f"server_id={self.number}") + "slave-net-timeout=5\n"

    def replicates(self):
        rows = self.sql("SHOW SLAVE STATUS", timeout_s=10)
        return bool(rows) and rows[0][10:12] == ["Yes", "Yes"]

    def has_more(self):
        """Whether it has transactions that its primary never got: errors of docs/scale.md."""
        rows = self.sql("SHOW SLAVE STATUS", timeout_s=10)
        return bool(rows) and rows[0][34] in ("1236", "1950")

    def copy(self, other):
        """Is set up again from a copy of the other one."""
        self.stop()
        other.stop()
        shutil.rmtree(self.dir / "data")
        shutil.copytree(other.dir / "data", self.dir / "data")
        other.start()
        self.start()


class Pair(Servers):
    def __init__(self):
        super().__init__(Half, 2, PASSWORD)

    def begin(self):
        first, second = self.nodes
        first.install()
        shutil.copytree(first.dir / "data", second.dir / "data",
                        dirs_exist_ok=True)
        first.start()
        second.start()
        self.run("Set up", first, second)
        first.sql(self.accounts())
        self.follow_up(first, second)

    def run(self, title, old, new):
        """The steps of a section, with db1 and db2 as these two."""
        gtid = ""
        for where, sql in steps(title):
            server = {"the old primary": old, "the primary": old,
                      "the replica": new, "the new primary": new}[where]
            other = new if server is old else old
            sql = sql.replace("'secret'", f"'{PASSWORD}'").replace(
                "'GTID'", f"'{gtid}'")
            sql = re.sub(r"MASTER_HOST='\w+', MASTER_PORT=\d+",
                         f"MASTER_HOST='127.0.0.1', MASTER_PORT={other.port}", sql)
            rows = server.sql(sql)
            if sql.startswith("SHOW SLAVE STATUS"):
                gtid = self.received(server)
            elif sql.startswith("SELECT @@global.gtid_binlog_pos"):
                gtid = rows[0][0]
            elif "MASTER_GTID_WAIT" in sql:
                assert rows == [["0"]], rows

    @staticmethod
    def follow_up(primary, behind):
        """The replica has applied what the primary has."""
        [[gtid]] = primary.sql("SELECT @@global.gtid_binlog_pos")
        assert behind.sql(f"SELECT MASTER_GTID_WAIT('{gtid}', 60)") == [["0"]]

    @staticmethod
    def received(server):
        """Gtid_IO_Pos of SHOW SLAVE STATUS."""
        out = subprocess.run(
            [program("mariadb"), "--no-defaults", "-u", "root", "-E",
             f"--socket={server.socket}", "-e", "SHOW SLAVE STATUS"],
            capture_output=True, text=True, check=True).stdout
        return re.search(r"Gtid_IO_Pos: (\S*)", out)[1]

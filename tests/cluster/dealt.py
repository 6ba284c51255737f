# SPDX-License-Identifier: MIT
"""A pytest plugin: the Labs of other suites with three responders, each on a node
of its own, among which the web server deals the requests one by one."""

import json
import os

import lab
from lab import RESPONDER, accepts, wait_until

NODES = json.loads(os.environ["LAMPLIGHTER_TEST_CLUSTER"])["sockets"]


class DealtLab(lab.Lab):
    def others(self):
        return [(f"responder{i}", self.dir / f"other{i}.yaml",
                 str(self.dir / f"fcgi{i}.sock"), node)
                for i, node in enumerate(NODES[1:], 2)]

    def write_config(self, overrides=None):
        super().write_config(overrides)
        for _, file, _, node in self.others():
            file.write_text(self.config_file.read_text().replace(NODES[0], node))

    def start_responder(self, env=None):
        super().start_responder(env)
        for name, file, socket, _ in self.others():
            self.spawn(name, [RESPONDER, "-c", file, "-s", socket],
                       env={**self.responder_env, **(env or {})})
            wait_until(name, lambda s=socket: accepts(s))

    def stop(self, name, **kw):
        for one in [n for n in self.processes
                    if n == name or name == "responder" and n.startswith(name)]:
            super().stop(one, **kw)

    def web_config(self):
        one = f'("socket" => "{self.responder_socket}",'
        rest = '"check-local" => "disable", "tcp-fin-propagate" => "enable")'
        more = "".join(f', ("socket" => "{socket}", {rest}'
                       for _, _, socket, _ in self.others())
        text = super().web_config()
        assert one in text
        head, tail = text.split(one)
        return head.replace("fastcgi.server =", 'fastcgi.balance = "round-robin"'
                            "\n  fastcgi.server =") + one + \
            tail.replace("))", ")" + more + ")", 1)


lab.Lab = DealtLab

# SPDX-License-Identifier: MIT
"""A server in the database's place that asks for a file of ours, as the protocol
lets it (LOAD DATA LOCAL). The client library asks nobody before it sends one."""

import json
import socketserver
import struct
import subprocess
import threading

import pytest

from lab import COMMAND

SECRET = "key-of-the-installation-4711"
LOCAL_FILES = 0x80
CAPABILITIES = 0x00ff_f7ff | LOCAL_FILES	# old ones, no TLS


class Rogue(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self, file):
        super().__init__(("127.0.0.1", 0), Talk)
        self.file = str(file)
        self.heard, self.asked, self.flags = b"", 0, None


class Talk(socketserver.StreamRequestHandler):
    timeout = 30

    def send(self, seq, data):
        self.wfile.write(struct.pack("<I", len(data))[:3] + bytes([seq]) + data)

    def receive(self):
        head = self.rfile.read(4)
        if len(head) < 4:
            return None, 0
        data = self.rfile.read(int.from_bytes(head[:3], "little"))
        self.server.heard += data
        return data, head[3]

    def handle(self):
        flags = CAPABILITIES
        self.send(0, b"\x0a10.11.9-MariaDB\0" + struct.pack("<I", 7)
                  + b"12345678\0" + struct.pack("<H", flags & 0xffff)
                  + b"\x2d" + struct.pack("<HH", 2, flags >> 16)
                  + bytes([21]) + bytes(10) + b"901234567890\0"
                  + b"mysql_native_password\0")
        login, seq = self.receive()
        if login is None:
            return
        self.server.flags = struct.unpack("<I", login[:4])[0]
        self.send(seq + 1, b"\0\0\0\x02\0\0\0")
        while True:
            command, seq = self.receive()
            if command is None or command[:1] == b"\x01":
                return
            self.server.asked += 1
            self.send(seq + 1, b"\xfb" + self.server.file.encode())
            while True:			# the file, up to an empty packet
                data, seq = self.receive()
                if data is None:
                    return
                if not data:
                    break
            self.send(seq + 1, b"\0\0\0\x02\0\0\0")


@pytest.fixture
def rogue(tmp_path):
    file = tmp_path / "secret"
    file.write_text(SECRET)
    with Rogue(file) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("place", ["host", "hosts"])
def test_a_rogue_server_gets_no_file(rogue, tmp_path, place):
    address = {"host": {"host": "127.0.0.1",
                        "port": rogue.server_address[1]},
               "hosts": {"hosts": [f"127.0.0.1:{rogue.server_address[1]}"]}}
    (tmp_path / "workspaces.d").mkdir()
    (tmp_path / "prompts.d").mkdir()
    config = tmp_path / "lamplighter.yaml"
    config.write_text(json.dumps({
        "database": {**address[place], "name": "x", "user": "x"}}))
    r = subprocess.run([COMMAND, "-c", config, "migrate"], capture_output=True,
                       text=True, timeout=120)
    assert r.returncode, r.stdout
    assert rogue.asked, "it was never asked anything"
    assert SECRET.encode() not in rogue.heard
    assert not rogue.flags & LOCAL_FILES

# SPDX-License-Identifier: MIT
"""A FastCGI client that sends what no web server would: parameters twice, bodies
as slowly as it likes."""

import socket
import struct

BEGIN, END, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6


def record(kind, data=b""):
    return struct.pack(">BBHHBB", 1, kind, 1, len(data), 0, 0) + data


def length(n):
    return bytes([n]) if n < 128 else struct.pack(">I", n | 0x80000000)


def pair(name, value):
    name, value = name.encode(), value.encode()
    return length(len(name)) + length(len(value)) + name + value


class Request:
    """One request on the responder's socket. params is a list of pairs, in which a
    name may come twice."""

    def __init__(self, lab, method, path, params=(), length=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(lab.responder_socket)
        all_params = [("REQUEST_METHOD", method),
                      ("REQUEST_URI", f"{lab.base}/api/v1{path}"),
                      ("LAMPLIGHTER_BASE", lab.base),
                      ("REMOTE_ADDR", "127.0.0.1"),
                      ("HTTP_SEC_FETCH_SITE", "same-origin"), *params]
        if length is not None:
            all_params += [("CONTENT_TYPE", "application/json"),
                           ("CONTENT_LENGTH", str(length))]
        self.socket.sendall(
            record(BEGIN, b"\0\1\0\0\0\0\0\0") +
            record(PARAMS, b"".join(pair(*p) for p in all_params)) +
            record(PARAMS))

    def send(self, data):
        """A piece of the body; b"" ends it. False when nobody reads any more."""
        try:
            self.socket.sendall(record(STDIN, data))
        except OSError:
            return False
        return True

    def read(self, n):
        data = b""
        while len(data) < n:
            piece = self.socket.recv(n - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def answer(self):
        """Its status and body, once the responder has ended it."""
        out = b""
        while True:
            _, kind, _, n, padding, _ = struct.unpack(">BBHHBB", self.read(8))
            data = self.read(n + padding)[:n]
            if kind == STDOUT:
                out += data
            elif kind == END:
                break
        self.socket.close()
        head, _, body = out.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), body

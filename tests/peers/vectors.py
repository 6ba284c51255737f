# SPDX-License-Identifier: MIT
"""A service of vectors and ranks for tests: it speaks the wire forms and hashes words. And
one of transcriptions, to which all sound is text."""

import email
import hashlib
import json

from recorder import Recorder

DIMENSION = 64


def vector(text, dimension=DIMENSION):
    """Synonyms are one word; what is in common makes texts near."""
    v = [0.0] * dimension
    for word in text.lower().replace("holiday", "leave").replace(".", " ").split():
        digest = hashlib.md5(word.encode()).digest()
        v[digest[0] % dimension] += 1 if digest[1] & 1 else -1
    v[0] += 0.01
    return v


def form_of(request):
    """[(name, file name or None, bytes)] of a multipart body."""
    whole = email.message_from_bytes(
        f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode() + request.body)
    return [(part.get_param("name", header="content-disposition"), part.get_filename(),
             part.get_payload(decode=True)) for part in whole.get_payload()]


class Peer(Recorder):
    """/v1/embeddings, /api/embed, /v1/rerank and /v1/audio/transcriptions."""

    def __init__(self):
        super().__init__(pages={"/v1/embeddings": self.openai, "/api/embed": self.ollama,
                                "/v1/rerank": self.rerank,
                                "/v1/audio/transcriptions": self.transcribe})
        self.reset()

    def reset(self):
        self.fails, self.dimension, self.refuses = None, DIMENSION, "\0"
        # What is refused: (status, sentence), more texts, longer texts.
        self.refusal, self.most_texts, self.most_chars = (400, "bad input"), 1000, 100000
        self.only_json, self.usage = False, None
        self.seen.clear()

    def failed(self, body):
        if self.fails:
            return self.fails, {}, json.dumps({"error": {"message": "no"}})
        if len(body["input"]) > self.most_texts or any(
                self.refuses in text or len(text) > self.most_chars
                for text in body["input"]):
            return self.refusal[0], {}, json.dumps({"error": {"message": self.refusal[1]}})
        return None

    def openai(self, request):
        body = json.loads(request.body)
        data = [{"object": "embedding", "index": i,
                 "embedding": vector(text, body.get("dimensions", self.dimension))}
                for i, text in enumerate(body["input"])]
        return self.failed(body) or (200, {"Content-Type": "application/json"}, json.dumps(
            {"object": "list", "data": data[::-1], "model": body["model"],
             "usage": {"prompt_tokens": 7, "total_tokens": 7}}))

    def ollama(self, request):
        body = json.loads(request.body)
        return self.failed(body) or (200, {}, json.dumps(
            {"model": body["model"], "prompt_eval_count": 5,
             "embeddings": [vector(text, self.dimension) for text in body["input"]]}))

    def rerank(self, request):
        body = json.loads(request.body)
        return self.failed({"input": body["documents"]}) or (200, {}, json.dumps({"results": [
            {"index": i, "relevance_score": 1 / (1 + len(text))}
            for i, text in enumerate(body["documents"])]}))

    def transcribe(self, request):
        """As Whisper does; a server of few formats gives JSON for all (only_json)."""
        form = form_of(request)
        text = next(data for name, _, data in form if name == "file")[:1000].decode(
            "utf-8", "replace")
        wanted = dict((name, data.decode()) for name, _, data in form if name != "file").get(
            "response_format", "json")
        said = {"text": text}
        if self.usage:
            said["usage"] = self.usage
        plain = {"text": text + "\n", "vtt": f"WEBVTT\n\n00:00.000 --> 00:01.000\n{text}\n",
                 "srt": f"1\n00:00:00,000 --> 00:00:01,000\n{text}\n"}
        if wanted == "verbose_json":
            said.update(task="transcribe", language="english", duration=1.0, segments=[])
        return self.failed({"input": [text.replace("\0", "")]}) or (
            (200, {"Content-Type": "application/json"}, json.dumps(said))
            if self.only_json or wanted not in plain
            else (200, {"Content-Type": "text/html"}, plain[wanted]))

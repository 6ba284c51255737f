# SPDX-License-Identifier: MIT
"""Images on the three wires of the stand-in model."""

import base64
import json

import pytest

from demo_model import Model, decode, png, request

pytestmark = pytest.mark.long

WIRES = ["openai", "anthropic", "ollama"]


@pytest.fixture(scope="module")
def model():
    m = Model("--talk-rate", "0")
    yield m
    m.stop()


def message(wire, text, *images):
    """A user message; an image is (media type, base64)."""
    if wire == "ollama":
        return [{"role": "user", "content": text,
                 "images": [data for _, data in images]}]
    parts = [{"type": "image_url", "image_url": {
                "url": f"data:{kind};base64,{data}"}} if wire == "openai" else
             {"type": "image", "source": {
                 "type": "base64", "media_type": kind, "data": data}}
             for kind, data in images]
    return [{"role": "user", "content": [
        *parts, {"type": "text", "text": text}]}]


def b64(data):
    return base64.b64encode(data).decode()


PNG = png(640, 480)
GIF = b"GIF89a" + b"\0" * 20


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
def test_it_says_what_it_was_given(model, wire, stream):
    r = model.post(wire, request(wire, message(
        wire, "read", ("image/png", b64(PNG)), ("image/gif", b64(GIF))), stream))
    said = decode(wire, r.read(), stream).text
    assert said == ("I am the demo model and cannot see. What I was given is: "
                    f"image/png, 640 x 480 pixels, {len(PNG)} bytes; "
                    "image/gif, 26 bytes.")


@pytest.mark.parametrize("wire", WIRES)
def test_a_script_goes_before(model, wire):
    r = model.post(wire, request(wire, message(
        wire, '!script {"text":"EXIT"}', ("image/png", b64(PNG)))))
    assert decode(wire, r.read()).text == "EXIT"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind,data,says", [
    ("image/png", "no base64!", "base64"), ("image/png", "", "no PNG"),
    ("image/png", b64(b"<html>"), "no PNG"),
    ("image/png", b64(PNG[:15]), "no PNG"),
    ("image/jpeg", b64(PNG), "does not match")])
def test_what_real_services_refuse(model, wire, kind, data, says):
    r = model.post(wire, request(wire, message(wire, "read", (kind, data))))
    body = r.read()
    if wire == "ollama" and says == "does not match":
        assert r.status == 200      # it says no type
        return
    assert r.status == 400 and says in body.decode(), body
    assert "error" in json.loads(body)


@pytest.mark.parametrize("wire,part", [
    ("openai", {"type": "image_url", "image_url": {"url": "https://h/a.png"}}),
    ("openai", {"type": "image_url", "image_url": {"url": "data:image/png,x"}}),
    ("openai", {"type": "image_url"}),
    ("anthropic", {"type": "image", "source": {
        "type": "url", "url": "https://h/a.png"}}),
    ("anthropic", {"type": "image", "source": {"type": "base64", "data": b64(PNG)}}),
    ("anthropic", {"type": "image"})])
def test_nothing_is_fetched(model, wire, part):
    r = model.post(wire, request(wire, [{"role": "user", "content": [part]}]))
    assert r.status == 400 and "fetches nothing" in r.read().decode()

#!/usr/bin/env python3
"""The known pitfalls of the wire protocols, by the numbers that comments of
lib/llm, lib/tool and fcgi-app/dialect use: each is named by a test that proves
it, as "pitfall B4" or "pitfalls A1, A2" in a comment or docstring there.

    tests/check/pitfalls.py --list    prints which tests name which
"""

import re
import sys

from tree import Tap, files, text_of

PITFALLS = {
    # The end of a stream, errors, truncation.
    "A1": "the end of the body is no success",
    "A2": "[DONE] may be missing, or not be the end",
    "A3": "HTTP 200, then an error in the stream, in many shapes",
    "A4": "such an error with finish_reason null and a normal [DONE]",
    "A5": "Ollama's compatible address loses errors in the stream",
    "A6": "a length limit cuts the arguments of a call",
    "A7": "a retry after the first delta doubles text",
    "A8": "Retry-After in four forms, and beyond all patience",
    "A9": "a 429 that waiting does not heal",
    "A10": "overload is a status when early, an event when late",
    "A11": "an error as an array of one",
    "A12": "error bodies that are no JSON",
    "A13": "a whole document where a stream was asked for",
    # Tool calls.
    "B1": "finish_reason does not tell whether there are calls",
    "B2": "indexes that are missing, all 0, or start at 1",
    "B3": "one index, or one id, for several calls",
    "B4": "ids that are empty, missing, or blanked later",
    "B5": "empty ids are refused when they come back",
    "B6": "ids of exactly nine letters and digits",
    "B7": "names blanked or repeated in later fragments",
    "B8": "arguments as object, null, absent or empty",
    "B9": "a whole call with reason and usage in one chunk",
    "B10": "null where others leave out",
    "B11": "thought signatures must come back verbatim",
    "B12": "signatures are bound to provider and model",
    "B13": "reasoning that must, or must not, be sent back",
    "B14": "tool names that a provider does not take",
    "B15": "a call that is not answered spoils the history",
    "B16": "Anthropic: no arguments are one empty delta",
    "B17": "calls of tools that nobody offered",
    "B18": "Groq's tool_use_failed",
    # Content and reasoning.
    "C1": "Azure: chunks without choices or delta",
    "C2": "reasoning under three names, or twice",
    "C3": "<think> in the text, split, or never opened",
    "C4": "content as an array, a cumulative message beside it",
    "C5": "refusals, also with no content at all",
    "C6": "roles missing, or in every delta",
    "C7": "characters and line ends split over reads",
    "C8": "padding",
    "C9": "NUL in texts",
    "C10": "the same key twice",
    "C11": "what Jansson refuses a whole document for",
    # Usage and money.
    "D1": "input tokens with or without the cached ones",
    "D2": "Anthropic: cumulative, and corrected upwards",
    "D3": "usage early, late, in every chunk, or elsewhere",
    "D4": "totals above prompt and completion",
    "D5": "no usage at all",
    "D6": "cost told by the provider",
    # Requests.
    "E1": "max_tokens against max_completion_tokens",
    "E2": "sampling parameters that are refused",
    "E3": "defaults of Ollama's compatible address",
    "E4": "context that Ollama cuts silently",
    "E5": "tool_choice that is ignored",
    "E6": "role system or developer refused",
    "E7": "stream_options refused",
    "E8": "members that strict servers refuse",
    "E9": "strict schemas",
    "E10": "parts of JSON Schema that are refused",
    "E11": "tool schemas that are no objects",
    "E12": "an order that changes the cached prefix",
    "E13": "two credentials",
    "E14": "redirects that take keys along",
    # Serving browsers.
    "F1": "strict AI SDK clients: types, null",
    "F2": "AG-UI: [DONE], CRLF, null; others want [DONE]",
    "F3": "keep-alives must be comments",
    "F4": "deltas outside of their parts and steps",
    "F5": "OpenAI's client: role, finish_reason",
    "F6": "Anthropic's client: event names, message_stop",
    "F7": "web servers that collect streams",
    "F8": "histories and approvals in the client's hands",
    "F9": "a closed tab is no stop",
    "F10": "six connections to a host",
    # MCP.
    "G1": "two eras",
    "G2": "priming events",
    "G3": "requests of the server in the middle of ours",
    "G4": "what cancels: a notice, or leaving",
    "G5": "what broke may have run",
    "G6": "hints are no policy",
    "G7": "unknown tools in two shapes",
    "G8": "Accept with both types",
    "G9": "unknown sessions in two shapes",
    "G10": "cursors that are empty or repeat",
    "G11": "definitions that change after approval",
    "G12": "results of megabytes, images",
    "G13": "$ref to elsewhere",
    "G14": "internal addresses, rebinding",
}
# What cannot happen here, and why.
ABSENT = {
    "F6": "no endpoint speaks Anthropic's protocol to clients",
}
NAMED = re.compile(r"\b[Pp]itfalls?\s+((?:[A-G]\d+(?:,\s+(?:and\s+)?|\s+and\s+)?)+)")
# A comment that goes on in the next line.
GLUE = re.compile(r"\n\s*(?:\*|//|#)?[ \t]*")


def named(text):
    """Numbers that the text calls pitfalls."""
    for found in NAMED.findall(GLUE.sub(" ", text)):
        yield from re.findall(r"[A-G]\d+", found)


def where():
    """Number -> the tests' files that name it."""
    out = {}
    for path in files(".c", ".h", ".py", ".mjs", under=("tests",)):
        if path.parts[1] != "check":
            for number in named(text_of(path)):
                out.setdefault(number, set()).add(str(path))
    return out


def main():
    found = where()
    if sys.argv[1:] == ["--list"]:
        for number, about in PITFALLS.items():
            print(f"{number:4} {about}: " + (", ".join(sorted(
                found.get(number, ()))) or ABSENT.get(number, "NOWHERE")))
        return
    tap = Tap()
    tap.clean("every pitfall has a test that names it", [
        f"{n}: {about}" for n, about in PITFALLS.items()
        if n not in found and n not in ABSENT])
    tap.clean("what is absent has no test", [
        f"{n}: {sorted(found[n])}" for n in ABSENT if n in found])
    tap.clean("every number is that of a pitfall", [
        f"{n}: {sorted(where)}" for n, where in found.items()
        if n not in PITFALLS])
    tap.result(list(named("/* Pitfalls A1, A2\n * and B3: x, C4. pitfall C5, D6\n"
                          "\t// pitfall\n// G9. */")) ==
               ["A1", "A2", "B3", "C5", "D6", "G9"], "numbers are found")
    tap.finish()


if __name__ == "__main__":
    main()

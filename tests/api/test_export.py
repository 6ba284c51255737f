# SPDX-License-Identifier: MIT
"""What is stored of a user, as a file of their own (GET /me/export)."""

import json
import uuid


def test_users_take_what_the_command_prints(lab):
    who = "u" + uuid.uuid4().hex[:12]
    lab.chat("Hello", user=who)
    lab.chat("Of somebody else", user="eve")
    for path, body in (("/prompts", {"name": "Mine", "body": "text"}),
                       ("/memories", {"text": "Likes tea."}),
                       ("/knowledge-bases", {"name": "Papers"})):
        assert lab.post(path, body, user=who).status == 201
    answer = lab.get("/me/export", user=who)
    taken = answer.json
    assert answer.status == 200
    assert "lamplighter-export.json" in answer.headers["Content-Disposition"]
    printed = json.loads(lab.command("export", "--user", who).stdout)
    for one in (taken, printed):
        one.pop("exportedAt")
    assert taken == printed
    assert [len(taken[k]) for k in ("conversations", "prompts", "memories",
                                    "knowledge-bases")] == [1, 1, 1, 1]
    assert len(taken["conversations"][0]["messages"]) == 2
    assert taken["user"] == who and "Of somebody else" not in json.dumps(taken)
    # nor for tokens that only talk
    token = lab.post("/tokens", {"name": "talks", "agents": ["lab/helper"]}, user=who).json
    headers = {"Authorization": f"Bearer {token['secret']}"}
    assert lab.get("/me", headers=headers).status == 200
    assert lab.get("/me/export", headers=headers).status == 403

# SPDX-License-Identifier: MIT
"""Every tool over projects with arguments that are wrong: wrong types, ids of nothing, of
somebody else's and of what was deleted, texts that are too long. Each is an error that a
model can act on, and changes nothing."""

import uuid

from projects import Clerk, lab, make, signed_in, told  # noqa: F401

KINDS = ("document", "task", "goal", "plan", "milestone", "risk", "requirement")
LONG = "x" * 4001
AT_ONCE = 24

# Arguments that are right: {task} is an id of mine, the others are texts and numbers.
GOOD = {
    "get_onto_project_details": {"project_id": "{project}"},
    "update_onto_project": {"project_id": "{project}", "version": 1, "name": "New"},
    **{f"list_onto_{kind}s": {"project_id": "{project}"} for kind in KINDS},
    **{f"get_onto_{kind}_details": {f"{kind}_id": "{%s}" % kind} for kind in KINDS},
    **{f"create_onto_{kind}": {"project_id": "{project}", "title": "New", "description": "d",
                               "state_key": "!"} for kind in KINDS},
    **{f"update_onto_{kind}": {f"{kind}_id": "{%s}" % kind, "version": 1, "title": "New",
                               "owner": "!"} for kind in KINDS},
    "link_onto_entities": {"project_id": "{project}", "from_id": "{task}", "to_id": "{goal}",
                           "relation": "!"},
    "get_entity_relationships": {"entity_id": "{task}"},
    "get_linked_entities": {"entity_id": "{task}"},
    "get_onto_project_graph": {"project_id": "{project}"},
    "get_document_tree": {"project_id": "{project}"},
    "get_document_path": {"document_id": "{document}"},
    "move_document_in_tree": {"document_id": "{document}", "parent_id": "{document}"},
    "create_task_document": {"task_id": "{task}", "title": "New"},
    "list_task_documents": {"task_id": "{task}"},
    "search_onto_tasks": {"query": "x"}, "search_onto_documents": {"query": "x"},
    "search_onto_projects": {"query": "x"}, "search_ontology": {"query": "x"},
    "get_field_info": {"entity_type": "!"},
    "get_calendar_event_details": {"event_id": "{event}"},
    "create_calendar_event": {"title": "New", "start": "!"},
    "update_calendar_event": {"event_id": "{event}", "version": 1, "title": "New"},
    "get_project_calendar": {"project_id": "{project}"},
    "set_project_calendar": {"project_id": "{project}", "name": "New"},
}
# These ask first, or are of another context, so they are called by the command.
ASK = {"create_onto_project": {"name": "New", "description": "d"},
       "unlink_onto_edge": {"edge_id": "{edge}"},
       "reorganize_onto_project_graph": {"project_id": "{project}", "unlink": ["{edge}"]},
       "delete_calendar_event": {"event_id": "{event}", "version": 1},
       **{f"delete_onto_{kind}": {f"{kind}_id": "{%s}" % kind, "version": 1}
          for kind in KINDS}}


def fill(lab, user):
    """One of each kind; @return their ids"""
    ids = {"project": make(lab, "/projects", user, name="P")["id"]}
    at = f"/projects/{ids['project']}"
    for kind in KINDS:
        ids[kind] = make(lab, f"{at}/{kind}s", user, title="T")["id"]
    ids["edge"] = make(lab, f"{at}/edges", user, fromId=ids["task"], toId=ids["document"])["id"]
    ids["event"] = make(lab, f"{at}/events", user, title="T", start="2027-01-01")["id"]
    return ids


def wrong_values(good, sets):
    """What each argument may not be."""
    if isinstance(good, list):
        return [[one] for one in wrong_values(good[0], sets)] + ["x"]
    if isinstance(good, int):
        return ["x", -5, [1], 99]
    if good == "!":
        return ["no-such-thing", 5, {"a": 1}]
    if good.startswith("{"):
        return [5, "x", [], str(uuid.uuid4()), *(one[good[1:-1]] for one in sets)]
    return [5, {"a": 1}, ["x"], LONG]


def cases(good, mine, sets):
    """Each tool with one argument that is wrong, and without one that it needs."""
    for name, args in good.items():
        right = {key: mine[value[1:-1]] if isinstance(value, str) and value[0] == "{" else
                 [mine[value[0][1:-1]]] if isinstance(value, list) else value
                 for key, value in args.items() if value != "!"}
        for key, value in args.items():
            for bad in wrong_values(value, sets):
                yield name, {**right, key: bad}
        yield name, {**right, "nonsense": 1}


def state(lab):
    tables = ("project", "entity", "entity_edge", "event", "project_calendar")
    return [lab.sql(f"SELECT COUNT(*), SUM(version), SUM(LENGTH(COALESCE({title}, '')))"
                    f" FROM {table}") for table, title in
            zip(tables, ("name", "title", "relation", "title", "name"))]


def check_error(name, args, text):
    shown = {key: str(value)[:60] for key, value in args.items()}
    assert not any(word in text for word in ("internal", "database", "no tool", "tool_unknown")), (
        name, shown, text)
    assert len(text) > 20, (name, shown, text)


def test_every_tool_with_what_is_wrong(lab):
    clerk, other = Clerk(lab, "office"), signed_in(lab, "b")
    owner = clerk.user
    mine, theirs, gone = (fill(lab, user) for user in (owner, other, owner))
    for kind in KINDS:
        lab.call("DELETE", f"/projects/{gone['project']}/{kind}s/{gone[kind]}", user=owner,
                 headers={"If-Match": "*"})
    assert lab.call("DELETE", f"/projects/{gone['project']}", user=owner,
                    headers={"If-Match": "*"}).status == 204
    todo = list(cases(GOOD, mine, (theirs, gone)))
    before = state(lab)
    for i in range(0, len(todo), AT_ONCE):
        part = todo[i:i + AT_ONCE]
        results = [e.data for e in lab.chat(
            told({"tool_calls": [{"name": name, "args": args} for name, args in part],
                  "then": {"text": "ok"}}), workspace="office",
            user=owner, agentId=clerk.agent,
            projectId=mine["project"])
            if e.name == "tool-result"]
        assert len(results) == len(part), (part, results)
        for (name, args), one in zip(part, results):
            assert one["isError"], (name, {k: str(v)[:60] for k, v in args.items()}, one)
            check_error(name, args, str(one["result"]))
    for name, args in cases(ASK, mine, (theirs, gone)):
        # Each id of somebody else, and of what is gone; each text that is too long.
        if LONG not in args.values() and not any(value in (theirs[key], gone[key]) for value in map(str, args.values())
                   for key in mine) and "nonsense" not in args:
            continue
        check_error(name, args, clerk.refused(name, **args))
    assert state(lab) == before

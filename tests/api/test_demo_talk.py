# SPDX-License-Identifier: MIT
"""The conversational mode of the stand-in model: the questions that the demo
page suggests, and their relatives, asked over two rounds and more of tool calls
against rows in memory.
"""

import datetime
import json

import pytest

from demo_model import Data, Model, decode, replay, request, tool

pytestmark = pytest.mark.long


def day(offset):
    """A day as the model counts, which knows UTC only."""
    return str(datetime.datetime.now(datetime.timezone.utc).date()
               + datetime.timedelta(days=offset))


def on_one_day(talk):
    """What talk() answers; once more when midnight passed meanwhile."""
    while True:
        today = day(0)
        answer = talk()
        if day(0) == today:
            return answer


def column(name, type="text", *values, description=None):
    c = {"name": name, "type": type}
    if values:
        c["values"] = list(values)
    if description:
        c["description"] = description
    return c


SITES = ("Leeds", "Hamburg")


def make_data():
    return Data({
        "tickets": ("Help desk tickets of all departments", [
            column("id", "integer"), column("subject"),
            column("status", "text", "open", "waiting", "closed"),
            column("priority", "text", "low", "normal", "urgent"),
            column("category", "text", "account", "hardware", "email"),
            column("requester"), column("department"),
            column("assignee"), column("opened", "datetime"),
            column("due", "datetime"), column("closed", "datetime"),
            column("hours_to_close", "decimal"), column("description")], [
            [1, "Printer | jam", "open", "urgent", "hardware", "Anna Weber",
             "Sales", "Ole Berg", day(0) + " 08:00:00", day(3), None, None, "x"],
            [2, "No mail", "open", "low", "email", "Tom Hill", "IT", None,
             day(-1) + " 09:00:00", day(-1), None, None, "y"],
            [3, "Locked out", "closed", "urgent", "account", "Anna Weber",
             "Sales", "Ole Berg", "2020-02-03 10:00:00", "2020-02-04",
             "2020-02-03 12:30:00", "2.5", "z"],
            [4, "New laptop", "waiting", "normal", "hardware", "Tom Hill",
             "IT", "Eva Lund", "2020-03-05 10:00:00", "2020-04-01", None, None,
             "w"]]),
        "people": ("Staff directory - who works here, where, since when", [
            column("id", "integer"), column("name"), column("job_title"),
            column("department"), column("site", "text", *SITES),
            column("email"), column("phone"), column("manager"),
            column("hired", "date")], [
            [1, "Anna Weber", "Buyer", "Sales", "Leeds", "anna@example.org",
             "100", "Eva Lund", "2015-01-01"],
            [2, "Tom Hill", "Admin", "IT", "Hamburg", "tom@example.org",
             "101", "Ole Berg", "2019-01-01"],
            [3, "Ole Berg", "Lead", "Facilities", "Leeds", "ole@example.org",
             "102", None, "2010-01-01"]]),
        "departments": ("Departments with their heads and yearly budgets", [
            column("name"), column("head"), column("budget", "decimal")], [
            ["Sales", "Eva Lund", "100000.00"], ["IT", "Ole Berg", "2500.50"]]),
        "assets": ("Computers, screens, phones and other devices", [
            column("tag"), column("kind", "text", "laptop", "monitor", "phone"),
            column("model"), column("status", "text", "in use", "in stock"),
            column("holder", description="Who has it"), column("department"),
            column("site", "text", *SITES), column("bought", "date"),
            column("warranty_until", "date"), column("price", "decimal")], [
            ["BW-1", "laptop", "T14", "in use", "Anna Weber", "Sales", "Leeds",
             "2021-01-01", "2024-01-01", "1000.00"],
            ["BW-2", "monitor", "U27", "in use", "Anna Weber", "Sales", "Leeds",
             "2022-01-01", day(100), "300.50"],
            ["BW-3", "laptop", "X1", "in stock", None, None, "Hamburg",
             "2023-01-01", day(200), "1500.00"]]),
        "rooms": ("Rooms that can be booked", [
            column("name"), column("site", "text", *SITES),
            column("kind", "text", "meeting", "lab"), column("seats", "integer"),
            column("camera", "text", "yes", "no")], [
            ["Aire", "Leeds", "meeting", 8, "yes"],
            ["Calder", "Leeds", "meeting", 4, "no"],
            ["Elbe", "Hamburg", "meeting", 20, "yes"]]),
        "absences": ("Who is away in your own department, and when", [
            column("person"), column("department"),
            column("kind", "text", "annual leave", "training"),
            column("first_day", "date"), column("last_day", "date")], [
            ["Tom Hill", "IT", "training", day(-1), day(1)],
            ["Eva Lund", "IT", "annual leave", day(-90), day(-80)]]),
    })


@pytest.fixture(scope="module")
def model():
    m = Model("--talk-rate", "0")
    yield m
    m.stop()


class Talk:
    """A dialogue: asks, runs the tools that are called, keeps the history."""

    def __init__(self, model, wire="openai", data=None, tools=True):
        self.model, self.wire, self.data = model, wire, data or make_data()
        # ask_user is offered too, as in the demo: none of these questions needs it
        self.tools = [tool(wire, n) for n in
                      ("list_datasets", "query_data", "ask_user")] if tools else []
        self.messages, self.queries, self.listed = [], [], 0

    def ask(self, question):
        self.messages.append({"role": "user", "content": question})
        self.queries, self.listed = [], 0
        for _ in range(6):
            more = {"tools": self.tools} if self.tools else {}
            r = self.model.post(self.wire, request(self.wire, self.messages,
                                                   **more))
            body = r.read()
            assert r.status == 200, body
            o = decode(self.wire, body)
            if not o.calls:
                self.messages.append({"role": "assistant", "content": o.text})
                return o.text
            results = []
            for _, name, args in o.calls:
                results.append(self.data.run(name, args))
                if name == "query_data":
                    self.queries.append(args)
                elif name == "list_datasets":
                    self.listed += 1
            self.messages += replay(self.wire, o, results)
        raise AssertionError(f"no answer after six rounds: {self.messages}")


def asked(model, question):
    t = Talk(model)
    return t, t.ask(question)


def table(text):
    """The cells of the markdown table in an answer, without its head."""
    rows = [x for x in text.split("\n") if x.startswith("|")]
    return [[c.strip() for c in x[1:-1].replace("\\|", "¦").split("|")]
            for x in rows[2:]]


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
def test_suggested_question_in_each_wire(model, wire):
    t = Talk(model, wire)
    text = t.ask("How many tickets are open?")
    assert "There are **2** open tickets." in text
    assert t.listed == 1
    assert t.queries == [{"dataset": "tickets", "aggregates": [
        {"fn": "count", "as": "count"}], "filters": [
        {"column": "status", "op": "eq", "value": "open"}]}]
    assert "demo model" in text and "OPENAI_API_KEY" in text
    # the second question of the conversation knows the datasets already
    assert "There is **1** closed ticket." in \
        t.ask("How many tickets are closed?")
    assert t.listed == 0


ANSWERS = [
    ("Number of tickets that are not closed", "**3** tickets"),
    ("how many tickets are open or waiting", "**3** open or waiting tickets"),
    ("How many unresolved tickets are there?", "**2** open tickets"),
    ("Wie viele tickets sind offen?", "**2** open tickets"),
    ("How many tickets are unassigned?", "**1** ticket"),
    ("How many tickets were opened today?", "**1** ticket"),
    ("How many tickets were opened in 2020?", "**2** tickets"),
    ("How many tickets were opened before 2020-03-01?", "**1** ticket"),
    ("How many urgent tickets did we get?", "**2** tickets (priority urgent)"),
    ("How many issues are overdue?", "**2** tickets (overdue)"),
    ("How many people work in Leeds?", "**2** people (site Leeds)"),
    ("How many employees are in the Sales department?", "**1** person"),
    ("How many assets cost more than 500?", "**2** assets"),
    ("How many laptops do we have?", "**2** assets (kind laptop)"),
    ("How many notebooks do we have?", "**2** assets (kind laptop)"),
    ("Average price of the assets", "is **933.50**"),
    ("What is the total price of laptops?", "is **2,500**"),
    ("What is the highest price of an asset?", "is **1,500**"),
    ("What is the budget of Sales?",
     "The budget of **Sales** is **100,000**."),
    ("What is Anna Weber's email?",
     "The email of **Anna Weber** is **anna@example.org**."),
    ("What is the phone number of tom hill?", "is **101**."),
    ("Who is the manager of Anna Weber?", "is **Eva Lund**."),
    ("Who is the head of IT?", "is **Ole Berg**."),
    ("What is the status of ticket 4?", "is **waiting**."),
    ("How long does it take to close a ticket?", "hours to close of the "
     "tickets is **2.50**"),
    ("How many tickets did Anna Weber report?", "**2** tickets"),
    ("Show my tickets", "do not know who you are"),
    ("How many tickets are about unicorns?", "There are **0** tickets"),
    ("average time to close a ticket", "hours to close of the tickets is **2.50**"),
    ("Average salary of the people", 'did not understand "Average salary"'),
    ("How many tickets are there per month?", 'did not understand "per month"'),
    ("How many tickets are older than 30 days?", "**2** tickets (opened older than"),
    ("How many tickets are newer than 2 days?", "**2** tickets"),
    ("Which category has the most open tickets?", "**1**, as others have. All of"),
    ("delete all tickets", "cannot change or delete"),
    ("Please update ticket 4", "cannot change or delete"),
    ("Close ticket 2", "cannot change or delete"),
]


@pytest.mark.parametrize("question,expected", ANSWERS)
def test_answers(model, question, expected):
    t, text = on_one_day(lambda: asked(model, question))
    assert expected in text, (text, t.queries)


TABLES = [
    ("List the 2 newest tickets", "Subject",
     ["Printer ¦ jam", "No mail"]),
    ("show the oldest ticket", "Subject", ["Locked out"]),
    ("Which urgent tickets are still open, and who works on them?",
     "Assignee", ["Ole Berg"]),
    ("Which assets belong to Anna Weber?", "Tag", ["BW-1", "BW-2"]),
    ("What equipment does Anna Weber have?", "Tag", ["BW-1", "BW-2"]),
    ("Which laptops are out of warranty?", "Tag", ["BW-1"]),
    ("most expensive asset", "Tag", ["BW-3"]),
    ("the 2 cheapest assets", "Tag", ["BW-2", "BW-1"]),
    ("Who has BW-1?", "Holder", ["Anna Weber"]),
    ("who works in sales", "Name", ["Anna Weber"]),
    ("Who works in the IT department?", "Name", ["Tom Hill"]),
    ("Which meeting rooms in Leeds have a camera?", "Name", ["Aire"]),
    ("rooms without a camera", "Name", ["Calder"]),
    ("rooms with more than 10 seats", "Name", ["Elbe"]),
    ("Who in my department is away today?", "Person", ["Tom Hill"]),
    ("Average hours to close by category", "Category",
     ["account", "hardware", "email"]),
    ("tickets about printer", "Subject", ["Printer ¦ jam"]),
    ("Show tickets from Anna Weber", "Subject",
     ["Printer ¦ jam", "Locked out"]),
    ("tickets assigned to Ole Berg", "Subject",
     ["Printer ¦ jam", "Locked out"]),
    ("Tickets by department", "Department", ["Sales", "IT"]),
    ("How many tickets are there per category?", "Category",
     ["hardware", "email", "account"]),
    ("How many tickets were opened in each category this year?",
     "Category", None),
    ("Average price of assets by kind", "Kind", ["laptop", "monitor"]),
    ("What departments are there?", "Name", ["Sales", "IT"]),
    ("list departments", "Name", ["Sales", "IT"]),
    ("list all departments", "Name", ["Sales", "IT"]),
    ("show me all the rooms", "Name", ["Aire", "Calder", "Elbe"]),
    ("Who is away this week?", "Person", ["Tom Hill"]),
    ("How many people are there per location?", "Site", ["Leeds", "Hamburg"]),
    ("How many assets are there for each kind?", "Kind", ["laptop", "monitor"]),
    ("Who opened the most tickets?", "Requester", ["Anna Weber", "Tom Hill"]),
    ("Who has the most assets?", "Holder", ["Anna Weber"]),
]


@pytest.mark.parametrize("question,head,expected", TABLES)
def test_tables(model, question, head, expected):
    t, text = on_one_day(lambda: asked(model, question))
    heads = [x for x in text.split("\n") if x.startswith("|")]
    assert heads, (text, t.queries)
    names = [c.strip() for c in heads[0][1:-1].split("|")]
    assert head in names, (text, t.queries)
    if expected is not None:
        at = names.index(head)
        assert [r[at] for r in table(text)] == expected, (text, t.queries)


def test_group_with_the_most(model):
    text = Talk(model).ask("Which department has the most open tickets?")
    assert "**Sales** has the most open tickets: **1**" in text


def test_short_name_is_exact_first(model):
    """IT is in facilITies: the exact match comes first."""
    t = Talk(model)
    t.ask("Who works in IT?")
    assert t.queries[0]["filters"] == [
        {"column": "department", "op": "eq", "value": "IT"}]
    t = Talk(model)
    text = t.ask("Who works in Fac?")
    assert [q["filters"][0]["op"] for q in t.queries] == ["eq", "contains"]
    assert "Ole Berg" in text


def test_the_head_of_it_is_not_of_quality(model):
    data = Data({"departments": ("Departments", [column("name"), column("head")], [
        ["Quality", "Eva Lund"], ["IT", "Ole Berg"], ["Facilities", "Tom Hill"]])})
    assert "The head of **IT** is **Ole Berg**." in \
        Talk(model, data=data).ask("Who is the head of IT?")


def test_names_by_id_take_a_lookup(model):
    data = Data({
        "people": ("Staff", [column("id", "integer"), column("name")],
                   [[7, "Anna Weber"], [8, "Tom Hill"]]),
        "assets": ("Devices", [column("tag"), column("owner_id", "integer")],
                   [["A", 7], ["B", 8], ["C", 7]])})
    t = Talk(model, data=data)
    text = t.ask("Which assets belong to Anna Weber?")
    assert t.queries[0]["dataset"] == "people"
    assert t.queries[1]["filters"] == [
        {"column": "owner_id", "op": "in", "value": [7]}]
    assert [r[0] for r in table(text)] == ["A", "C"]
    assert "I found no person called **Zoe Nix**" in \
        t.ask("Which assets belong to Zoe Nix?")


def test_other_datasets_work_as_well(model):
    """Nothing is known about the sample data: any names will do."""
    data = Data({"service_orders": ("Orders of the workshop", [
        column("id", "integer"), column("customer"),
        column("stage", "text", "in_progress", "delivered"),
        column("created_at", "datetime"), column("total", "decimal")], [
        [1, "Acme", "in_progress", "2026-01-01 00:00:00", "12.00"],
        [2, "Bolt", "delivered", "2026-02-01 00:00:00", "30.25"]])})
    t = Talk(model, data=data)
    assert "**1** service order" in \
        t.ask("How many service orders are in progress?")
    assert "is **42.25**" in t.ask("sum of the total of all orders")
    assert [r[0] for r in table(t.ask("newest order"))] == ["Bolt"]


def test_follow_up_means_the_same_dataset(model):
    t = Talk(model)
    t.ask("How many tickets are open?")
    assert "Locked out" in t.ask("and which ones are closed?")


def test_follow_up_keeps_the_conditions_of_what_it_speaks_of(model):
    t = Talk(model)
    t.ask("Show the urgent tickets")
    assert "**1** closed ticket" in t.ask("And how many of them are closed?")
    assert "**2** open tickets" in t.ask("And how many tickets are open?")


def test_it_says_what_it_is_once_in_a_conversation(model):
    t = Talk(model)
    assert "I am the demo model" in t.ask("Show the urgent tickets")
    assert "I am the demo model" not in t.ask("And how many of them are closed?")
    assert "I am the demo model" not in t.ask("hello")


def test_longer_lists_say_how_much_there_is(model):
    rows = [[i, f"Thing {i}"] for i in range(1, 32)]
    t = Talk(model, data=Data({"stock_items": ("What we have", [
        column("id", "integer"), column("label")], rows)}))
    for question in ("show stock_items", "list all stock items"):
        t.ask(question)
        assert t.queries[0]["dataset"] == "stock_items"
    assert "**31** stock items" in t.ask("How many stock_items are there?")
    assert "I found **31** stock items. The first 20:" in t.ask("Show stock items")


def test_small_talk_calls_no_tool(model):
    t = Talk(model)
    for question, answer in (("Hello!", "Hello!"), ("Thank you", "welcome"),
                             ("bye", "Goodbye")):
        assert answer in t.ask(question)
        assert not t.queries and not t.listed


def test_help_describes_the_datasets(model):
    text = Talk(model).ask("What can you do?")
    for name in make_data().datasets:
        assert f"**{name}**" in text
    assert "How many tickets are open?" in text


def test_examples_it_gives_are_understood(model):
    text = Talk(model).ask("What can you do?")
    examples = [x[2:] for x in text.split("For example:")[1].split("\n")
                if x.startswith("- ")]
    assert len(examples) >= 3
    for question in examples:
        t = Talk(model)
        assert "did not understand" not in t.ask(question)
        assert t.queries


@pytest.mark.parametrize("question", [
    "Write a poem about lamps", "How many desks are there?", "What is the meaning of life?",
    "Translate this into French", "What's the weather like?", "asdf qwer",
    "🙂", "?!", "\u0001\u0002", "Ünïcödé \u4f60\u597d"])
def test_says_what_it_does_not_understand(model, question):
    t = Talk(model)
    text = t.ask(question)
    assert not t.queries
    assert "did not understand" in text or "Hello" in text
    assert "demo model" in text


def test_without_tools_it_says_so(model):
    text = Talk(model, tools=False).ask("How many tickets are open?")
    assert "not offered" in text and "demo model" in text


def test_no_datasets(model):
    assert "no dataset here" in Talk(model, data=Data({})).ask("help")


def test_tool_errors_are_told(model):
    class Broken(Data):
        def query(self, **_):
            raise KeyError

        def run(self, name, args):
            return super().run(name, args) if name == "list_datasets" else \
                '{"error": "the database is down"}'
    text = Talk(model, data=Broken(make_data().datasets)).ask("list tickets")
    assert "did not work" in text and "the database is down" in text
    t = Talk(model)
    t.data = type("", (), {"run": lambda *_: "no such tool"})()
    assert "could not use the answer: no such tool" in t.ask("list tickets")


def test_results_may_be_wrapped(model):
    """The responder marks untrusted data with a line before and after it."""
    class Wrapped(Data):
        def run(self, name, args):
            return (f'[UNTRUSTED-DATA 1f source="{name}"]\n'
                    f"{super().run(name, args)}\n[/UNTRUSTED-DATA 1f]\n")
    text = Talk(model, data=Wrapped(make_data().datasets)).ask(
        "How many tickets are open?")
    assert "There are **2** open tickets." in text


def test_title(model):
    def title(text, wire="openai"):
        system = "Write a short title for this conversation."
        body = request(wire, text) if wire == "anthropic" else request(
            wire, [{"role": "system", "content": system},
                   {"role": "user", "content": text}])
        if wire == "anthropic":
            body["system"] = system
        return decode(wire, model.post(wire, body).read()).text
    assert title("How many tickets are open?") == "Open tickets"
    assert title("who works in Sales?", "anthropic") == "Sales"
    assert title("Who is the head of IT?") == "Head of IT"
    assert title("How many orders are there?") == "Orders"
    assert title("List the laptops of Anna Weber, please", "ollama") == \
        "Laptops of Anna Weber"
    assert title('!script {"text":"x"} Broken printer') == "Broken printer"
    assert title("") == "New conversation"


SCHEMA = {
    "type": "object", "additionalProperties": False,
    "required": ["kind", "score", "tags", "who", "ok"],
    "properties": {
        "kind": {"enum": ["ticket", "question"]},
        "score": {"type": "integer", "minimum": 3, "maximum": 5},
        "ratio": {"type": "number", "exclusiveMaximum": 0},
        "tags": {"type": "array", "minItems": 2,
                 "items": {"type": "string", "maxLength": 8}},
        "who": {"$ref": "#/$defs/who"},
        "ok": {"type": ["null", "boolean"]},
        "when": {"type": "string", "format": "date"},
        "any": {"anyOf": [{"const": 4}, {"type": "string"}]}},
    "$defs": {"who": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 70},
        "boss": {"$ref": "#/$defs/who"}}}}}


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize("stream", [True, False])
def test_typed_output(model, wire, stream):
    more = {
        "openai": {"response_format": {"type": "json_schema", "json_schema": {
            "name": "x", "schema": SCHEMA, "strict": True}}},
        "anthropic": {"output_config": {"format": {
            "type": "json_schema", "schema": SCHEMA}}},
        "ollama": {"format": SCHEMA}}[wire]
    r = model.post(wire, request(wire, "My printer is on fire", stream,
                                 max_tokens=100000, **more))
    v = json.loads(decode(wire, r.read(), stream).text)
    assert v["kind"] == "ticket" and v["score"] == 3 and v["ratio"] < 0
    assert len(v["tags"]) == 2 and all(len(t) <= 8 for t in v["tags"])
    assert len(v["who"]["name"]) >= 70 and v["ok"] is True
    assert v["when"] == "2026-01-01" and v["any"] == 4


def test_max_tokens_cuts_the_answer(model):
    r = model.post("openai", request("openai", "Hello!", max_tokens=3))
    o = decode("openai", r.read())
    assert o.finish == "length" and o.text == "Hello! I can"


class Deeds(Talk):
    """A dialogue with tools that do something; their results are given."""

    def __init__(self, model, wire, results):
        super().__init__(model, wire)
        self.tools += [
            tool(wire, "desk_create_ticket", "Opens a ticket"),
            tool(wire, "ask_user", "Asks the user"),
            tool(wire, "set_field", "Sets a field", {
                "type": "object", "properties": {
                    "field": {"type": "string",
                              "enum": ["subject", "due_date", "priority"]},
                    "value": {"type": "string"}}})]
        self.results, self.calls = results, []
        data = self.data

        class Run:
            def run(_, name, args):
                if name in ("list_datasets", "query_data"):
                    return data.run(name, args)
                self.calls.append((name, args))
                return json.dumps(self.results.pop(0))
        self.data = Run()


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
def test_a_ticket_is_opened(model, wire):
    t = Deeds(model, wire, [{"ticket": 3201, "subject": "Printer out of toner",
                             "priority": "high"}])
    text = t.ask("Please open a ticket: the printer is out of toner, urgent")
    assert t.calls == [("desk_create_ticket", {
        "subject": "The printer is out of toner, urgent",
        "priority": "urgent"})]
    assert "Ticket **3201** is open: Printer out of toner (priority high)" \
        in text
    t.results = [{"error": {"code": "tool_not_approved",
                            "message": "The user did not approve it."}}]
    text = t.ask("Create a new ticket about a broken chair")
    assert t.calls[1][1] == {"subject": "A broken chair", "priority": "normal"}
    assert "No ticket was opened: The user did not approve it." in text
    # a question about tickets is not one
    assert "Printer" in t.ask("Open tickets in a list")
    assert len(t.calls) == 2


def test_a_form_is_filled(model):
    t = Deeds(model, "openai", [{"ok": True}, {"error": {
        "code": "tool_failed", "message": "no such day"}}, {"ok": True}])
    text = t.ask("Set the subject to New chairs, the due date to Friday and "
                 "the priority to low")
    assert t.calls == [
        ("set_field", {"field": "subject", "value": "New chairs"}),
        ("set_field", {"field": "due_date", "value": "Friday"}),
        ("set_field", {"field": "priority", "value": "low"})]
    assert "**subject** is now New chairs" in text
    assert "**due date** is as it was: no such day" in text


def test_a_dataset_alone_is_asked_back_about(model):
    t = Deeds(model, "openai", [{"choice": "A",
                                 "answer": "How many tickets are there?"}])
    text = t.ask("Tell me something about the tickets")
    name, args = t.calls[0]
    assert name == "ask_user" and args == {
        "question": "What about the tickets?", "options": [
            "How many tickets are there?", "List the first 5 tickets",
            "How many tickets are there by status?"]}
    assert "**4** tickets" in text
    t.results = [{"error": {"code": "tool_not_approved", "message": "no"}}]
    assert t.ask("tickets") == "Then I leave it at that."
    assert len(t.calls) == 2


class Library:
    """Datasets, and a knowledge base whose search always finds the same."""

    def __init__(self, passages):
        self.data, self.passages, self.searched = make_data(), passages, []

    def run(self, name, args):
        if name != "search_knowledge":
            return self.data.run(name, args)
        self.searched.append(args)
        return json.dumps({"passages": self.passages})


PASSAGES = [
    {"base": "Handbook", "title": "Working time", "text": "Leave the building by ten."},
    {"base": "Handbook", "title": "Time off", "heading": "Annual leave > Carrying over",
     "page": 3, "number": 2, "text": "Ask your manager first.\n\nUp to five days of leave\n"
     "carry over to the end of March. Others lapse."},
    {"base": "Handbook", "title": "Rates", "text": "| city | hotel |\n|---|---|\n"
     "| Porto | 120 euros |\n| Leeds | 140 euros |"},
]


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
def test_what_no_dataset_answers_is_quoted(model, wire):
    t = Talk(model, wire, Library(PASSAGES))
    t.tools.append(tool(wire, "search_knowledge"))
    text = t.ask("How many days of leave carry over?")
    assert t.data.searched == [{"query": "How many days of leave carry over?"}]
    assert text.startswith('"Up to five days of leave carry over to the end of March."'
                           " [2]\n\nTime off, Annual leave > Carrying over, page 3.")
    assert "| Porto | 120 euros |" in t.ask("What does a hotel in Porto cost?")
    assert "does not say" in t.ask("Which wombats eat bamboo after midnight?")
    # Datasets come first.
    assert "There are **2** open tickets." in t.ask("How many tickets are open?")
    assert len(t.data.searched) == 3


def test_a_knowledge_base_alone_is_enough(model):
    t = Talk(model, "openai", Library(PASSAGES))
    t.tools = [tool("openai", "search_knowledge")]
    assert "five days" in t.ask("Do days of leave carry over?")

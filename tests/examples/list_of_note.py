# SPDX-License-Identifier: MIT
"""The list of the note of docs/add-a-resource.md: what its orders and filters read of
40,000 rows. test_resource.py runs it in the copy to which the page was applied."""

ROWS = 20000
# A page of 20 and one more in each of two reads, and some for who is calling. Each row of
# a page is counted several times.
FEW = 300


def test_orders_read_their_page(make_lab):
    lab = make_lab()
    talk = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json
    for user, text in (("ada", "seed"), ("eve", "other")):
        body = {"conversationId": talk["conversationId"], "place": {}, "text": text}
        if user == "eve":
            body["conversationId"] = lab.post(
                "/conversations", {"workspaceId": "lab"}, user="eve").json["conversationId"]
        lab.post("/notes", body, user=user)
    lab.sql(f"""
      INSERT INTO note (id, tenant_id, user_id, version, created_us, updated_us,
        conversation_id, text, due, state, place) SELECT RANDOM_BYTES(16), n.tenant_id,
        n.user_id, 0, seq, 1000000 - seq, n.conversation_id, seq,
        IF(seq MOD 3, DATE_ADD('2027-01-01', INTERVAL seq MOD 1000 DAY), NULL),
        IF(seq MOD 2, 'open', 'closed'), '1' FROM note n JOIN seq_1_to_{ROWS};
      ANALYZE TABLE note;""")

    def read():
        return sum(int(n) for _, n in lab.sql("SHOW GLOBAL STATUS LIKE 'Handler_read%'"))

    def ask(query):
        page = lab.get(f"/notes?pageSize=20&{query}", user="ada")
        assert page.status == 200 and len(page.json["items"]) == 20, page
        return page.json

    asking = -read() + read()
    for query in ("order=due", "order=-due", "order=updatedAt", "order=-updatedAt", ""):
        cursor = ""
        for _ in range(3):
            ask(f"{query}&cursor={cursor}")     # statements are prepared
            before = read()
            page = ask(f"{query}&cursor={cursor}&state=open")
            # The total of those that are open needs all; it is capped.
            counted = read() - before - asking
            assert counted < 1001 * 5 + FEW, (query, counted)
            before = read()
            page = ask(f"{query}&cursor={cursor}")
            counted = read() - before - asking
            assert counted < 1001 * 3 + FEW, (query, counted)
            cursor = page["nextCursor"]

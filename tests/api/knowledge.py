"""Knowledge bases for tests: made, filled, and waited for."""

from lab import wait_until

NOBODY = "0192f000-0000-7000-8000-000000000000"
TABLES = ("document", "document_text", "search_document", "search_chunk", "search_post",
          "search_vector", "search_bits", "search_audience")


def base_of(lab, user, groups=(), **fields):
    answer = lab.post("/knowledge-bases", {"name": "Handbook", "language": "en", **fields},
                      user=user, groups=groups)
    assert answer.status == 201, answer
    return f"/knowledge-bases/{answer.json['id']}"


def write(lab, base, user, text, groups=(), status=201, **fields):
    answer = lab.post(f"{base}/documents", {"title": "T", "text": text, **fields},
                      user=user, groups=groups)
    assert answer.status == status, answer
    return answer.json


def settled(lab, base, user, groups=()):
    """The progress when nothing is queued any more."""
    def done():
        progress = lab.get(f"{base}/progress", user=user, groups=groups).json
        progress.pop("embedding")   # of vectors, which test_embeddings.py asks about
        return progress if not progress["queued"] else None
    return wait_until("documents are indexed", done)


def found(lab, base, query, user, groups=(), **fields):
    answer = lab.post(f"{base}/search", {"query": query, **fields}, user=user,
                      groups=groups)
    assert answer.status == 200, answer
    return answer.json["items"]


def left(lab, base):
    key = "UNHEX('" + base.rsplit("/", 1)[1].replace("-", "") + "')"
    rows = {table: int(lab.sql(f"SELECT COUNT(*) FROM {table} WHERE base_id = {key}")[0][0])
            for table in TABLES}
    rows["search_base"] = int(lab.sql(
        f"SELECT COUNT(*) FROM search_base WHERE id = {key}")[0][0])
    return rows


def embedded(lab, base, user, until=None, groups=()):
    def done():
        progress = lab.get(f"{base}/progress", user=user, groups=groups).json
        e = progress["embedding"]
        return e if not progress["queued"] and (
            until(e) if until else e["vectors"] == e["passages"] > 0) else None
    return wait_until("the vectors are there", done)

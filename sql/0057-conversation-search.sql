-- Search over one's own conversations: each user has a search_base of their own, whose
-- id is the user's, with a document for each conversation. What is not in it yet, as
-- all older conversations are at first, is found by its mark and indexed by jobs.

ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS unindexed TINYINT NULL DEFAULT 1 COMMENT '1: the search index has to look at it; NULL: it has it as it is',
  ADD COLUMN IF NOT EXISTS indexed BIGINT NOT NULL DEFAULT 0 COMMENT 'the index has its title and the messages below this message.seq; 0: nothing; -1: what it said before';

CREATE INDEX IF NOT EXISTS conversation_unindexed ON conversation (unindexed, tenant_id, user_id, id);

CREATE INDEX IF NOT EXISTS search_document_of ON search_document (document_id);

-- Vectors of passages are made by a job, behind the words: which parts of documents
-- have theirs, and what a base says of it.

ALTER TABLE search_document
  ADD COLUMN IF NOT EXISTS embed TINYINT NOT NULL DEFAULT 0 COMMENT '0 vectors are missing, 1 all are there, 2 the service refused a text',
  ADD COLUMN IF NOT EXISTS embedded INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'of its chunks, from the first on, have vectors',
  ADD KEY IF NOT EXISTS search_document_embed (base_id, embed, state, first);

ALTER TABLE search_base
  ADD COLUMN IF NOT EXISTS stale TINYINT NOT NULL DEFAULT 0 COMMENT '1: vectors of another model are being deleted',
  ADD COLUMN IF NOT EXISTS embed_error VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why vectors could not be made last time; else NULL';

ALTER TABLE document
  ADD COLUMN IF NOT EXISTS embed_error VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it has no vectors; else NULL';

ALTER TABLE knowledge_base
  ADD COLUMN IF NOT EXISTS embedding_service_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'LLM service that makes vectors; NULL: that of the configuration, if any';

-- What each user stores is summed over index entries: a size stands in a column of the
-- row that it is of, so that it is right whatever was done to the row.

ALTER TABLE message
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(content) + COALESCE(LENGTH(meta), 0)) STORED COMMENT 'of content and meta',
  ADD KEY IF NOT EXISTS message_bytes (conversation_id, bytes);

ALTER TABLE turn_source
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(text)) STORED COMMENT 'of text',
  DROP KEY IF EXISTS turn_source_conversation,
  ADD KEY turn_source_conversation (conversation_id, bytes);

ALTER TABLE tool_output
  ADD COLUMN IF NOT EXISTS bytes INT UNSIGNED GENERATED ALWAYS AS (LENGTH(content)) STORED COMMENT 'of content',
  ADD KEY IF NOT EXISTS tool_output_bytes (tenant_id, user_id, bytes);

ALTER TABLE stored_file
  ADD COLUMN IF NOT EXISTS bytes BIGINT GENERATED ALWAYS AS (IF(dropped_us IS NULL, size + COALESCE(LENGTH(text), 0), 0)) STORED COMMENT 'that count for its owner: of the content and its text; 0: it is being deleted',
  ADD KEY IF NOT EXISTS stored_file_bytes (tenant_id, user_id, bytes);

ALTER TABLE search_document
  ADD COLUMN IF NOT EXISTS bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'of its rows in the index, without vectors';

ALTER TABLE search_base
  ADD COLUMN IF NOT EXISTS index_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'search_document.bytes of all, until their rows are deleted';

ALTER TABLE document
  ADD COLUMN IF NOT EXISTS index_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'of its rows in the index, without vectors; 0: it is not there',
  ADD KEY IF NOT EXISTS document_writer (tenant_id, user_id, base_id, bytes, file_size, index_bytes, chunks);

-- What older versions indexed: about twice its text.
UPDATE search_document s JOIN document d ON d.id = s.document_id SET s.bytes = 2 * d.bytes * s.n / GREATEST(d.chunks, 1) WHERE s.bytes = 0;
UPDATE document SET index_bytes = 2 * bytes WHERE status = 1 AND index_bytes = 0;
UPDATE search_base b JOIN (SELECT base_id, SUM(bytes) AS bytes FROM search_document GROUP BY base_id) s ON s.base_id = b.id SET b.index_bytes = s.bytes WHERE b.index_bytes = 0;

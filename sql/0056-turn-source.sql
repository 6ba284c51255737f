-- The passages that a turn used, as the model was sent them. The answer's metadata
-- has their numbers and ids; what they say is here alone, so that it goes with the
-- document, its base, the attachment or the conversation.

CREATE TABLE IF NOT EXISTS turn_source (
  turn_id         BINARY(16)        NOT NULL COMMENT 'turn.id',
  no              SMALLINT UNSIGNED NOT NULL COMMENT 'number within the turn, from 1',
  conversation_id BINARY(16)        NOT NULL COMMENT 'conversation.id',
  base_id         BINARY(16)        NULL     COMMENT 'knowledge_base.id; NULL: of an attachment',
  document_id     BINARY(16)        NULL     COMMENT 'document.id; NULL: of an attachment',
  attachment_id   BINARY(16)        NULL     COMMENT 'attachment.id; NULL: of a document',
  chunk           INT UNSIGNED      NOT NULL COMMENT 'search_chunk.chunk, or number within the attachment',
  page            INT               NOT NULL COMMENT 'where it begins; 0: there are no pages',
  score           DOUBLE            NOT NULL COMMENT 'of the search that found it',
  external_id     VARCHAR(190)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'document.external_id then',
  title           VARCHAR(255)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'of the document then, or name of the attachment',
  url             VARCHAR(2000)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'document.url then; http and https only',
  text            MEDIUMTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the passage, cut at LIM_SOURCE_TEXT_CHARS',
  PRIMARY KEY (turn_id, no),
  KEY turn_source_conversation (conversation_id),
  KEY turn_source_base (base_id, document_id),
  KEY turn_source_attachment (attachment_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='passages that turns used';

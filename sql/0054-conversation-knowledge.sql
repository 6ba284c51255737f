-- The knowledge bases that a conversation is limited to.

ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS knowledge_base_ids TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: ids of knowledge bases, of deleted ones too; NULL: not said' CHECK (JSON_VALID(knowledge_base_ids));

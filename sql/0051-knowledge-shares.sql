-- Sharing a knowledge base changes its row, so that it cannot be renamed or deleted
-- on another node at the same moment; readers that such a moment has left are gone.

ALTER TABLE knowledge_base
  ADD COLUMN IF NOT EXISTS shared BIGINT NOT NULL DEFAULT 0 COMMENT 'moved when a share is made or taken back';

DELETE r FROM knowledge_base_reader r LEFT JOIN knowledge_base k ON k.id = r.row_id WHERE k.id IS NULL;

UPDATE knowledge_base_reader r JOIN knowledge_base k ON k.id = r.row_id SET r.sort_key = k.sort_key WHERE r.sort_key <> k.sort_key;

-- Sharing a prompt changes its row, so that it cannot be renamed or deleted on
-- another node at the same moment; readers that such a moment has left are gone.

ALTER TABLE prompt
  ADD COLUMN IF NOT EXISTS shared BIGINT NOT NULL DEFAULT 0 COMMENT 'moved when a share is made or taken back';

DELETE r FROM prompt_reader r LEFT JOIN prompt p ON p.id = r.row_id WHERE p.id IS NULL;

UPDATE prompt_reader r JOIN prompt p ON p.id = r.row_id SET r.sort_key = p.sort_key WHERE r.sort_key <> p.sort_key;

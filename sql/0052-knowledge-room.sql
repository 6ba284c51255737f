-- How much of its room a knowledge base has taken, kept with every document that is
-- written or deleted, under the lock of the base.

ALTER TABLE search_base
  ADD COLUMN IF NOT EXISTS documents BIGINT NOT NULL DEFAULT 0 COMMENT 'that the base has',
  ADD COLUMN IF NOT EXISTS document_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'of their texts';

UPDATE search_base b LEFT JOIN (SELECT base_id, COUNT(*) AS n, SUM(bytes) AS bytes FROM document GROUP BY base_id) d ON d.base_id = b.id SET b.documents = COALESCE(d.n, 0), b.document_bytes = COALESCE(d.bytes, 0);

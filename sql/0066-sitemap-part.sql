-- How much of a sitemap is in the list of addresses, so that a run can continue within it.

ALTER TABLE knowledge_source_page
  ADD COLUMN IF NOT EXISTS listed BIGINT NULL
  COMMENT 'how many entries of this sitemap are listed, while only a part of it is; NULL: none',
  ADD COLUMN IF NOT EXISTS listed_of BINARY(32) NULL
  COMMENT 'BLAKE2b of all entries, when listed was set';

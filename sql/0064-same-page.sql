-- Pages of a site that name each other as their address: one of them is a document.

ALTER TABLE knowledge_source_page
  ADD COLUMN IF NOT EXISTS same_as BINARY(32) NULL
  COMMENT 'item of the page that it named instead of itself in that run; NULL: none';

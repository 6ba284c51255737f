-- A document whose indexing ends the process must not be tried again and again.

ALTER TABLE document
  ADD COLUMN IF NOT EXISTS tries INT NOT NULL DEFAULT 0
  COMMENT 'runs in a row that began to index it and did not get to its result; 0: none';

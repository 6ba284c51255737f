-- Who closes a dead turn writes what it cost about: under the turn's own id, so
-- once.
ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS provider VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'provider row of the service that it began with; NULL: of an older version',
  ADD COLUMN IF NOT EXISTS model VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
  COMMENT 'model of that service; NULL: of an older version';

-- What running turns tell, a row per process and round for all of them. Each
-- turn's part is encrypted with a key that stands in the turn's row alone: with
-- that row the text is gone.
CREATE TABLE IF NOT EXISTS turn_journal (
  process    BINARY(16)   NOT NULL COMMENT 'UUIDv7 of the process that writes it',
  number     INT UNSIGNED NOT NULL COMMENT '1, 2, … within the process',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  turns      MEDIUMBLOB   NOT NULL COMMENT '32 bytes for each turn: turn.id, first and last event, offset and length in data; numbers with the high byte first',
  data       MEDIUMBLOB   NOT NULL COMMENT 'events as in turn_event.data, each part encrypted with its turn''s journal_key',
  PRIMARY KEY (process, number)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='events of running turns; store/journal.c prunes it';

ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS journal_id BINARY(16) NULL
  COMMENT 'turn_journal.process where its events are; NULL: in turn_event alone',
  ADD COLUMN IF NOT EXISTS journal_from INT UNSIGNED NULL
  COMMENT 'turn_journal.number of the first row with some; NULL: none',
  ADD COLUMN IF NOT EXISTS journal_seq INT UNSIGNED NULL
  COMMENT 'number of the first event there; NULL: none',
  ADD COLUMN IF NOT EXISTS journal_key BINARY(32) NULL
  COMMENT 'ChaCha20 key of its part of each row; NULL: none';

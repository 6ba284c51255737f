-- A decision that is sent again gets the stream that the first one got.

ALTER TABLE turn_wait
  ADD COLUMN IF NOT EXISTS decided_seq INT UNSIGNED NULL
  COMMENT 'number of the last event of the turn when it was decided; NULL: open, or decided by an older version' AFTER decided_us;

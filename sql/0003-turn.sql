-- Turns and what they told their listeners.

CREATE TABLE IF NOT EXISTS turn (
  id               BINARY(16)       NOT NULL COMMENT 'UUIDv7',
  conversation_id  BINARY(16)       NOT NULL COMMENT 'conversation.id; tenant and owner are found there',
  status           TINYINT UNSIGNED NOT NULL COMMENT '1 running, 2 waiting, 3 done, 4 error, 5 cancelled, 6 interrupted',
  lease_until_us   BIGINT           NOT NULL COMMENT 'us since 1970 UTC; a running turn beyond it is dead',
  cancel_requested TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: it was asked to stop',
  user_seq         INT UNSIGNED     NOT NULL COMMENT 'message.seq of what the user said',
  answer_seq       INT UNSIGNED     NULL     COMMENT 'message.seq of the answer; NULL: none yet',
  last_event_seq   INT UNSIGNED     NOT NULL DEFAULT 0 COMMENT 'newest stored event; 0: none',
  started_us       BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  ended_us         BIGINT           NULL     COMMENT 'us since 1970 UTC; NULL: not ended',
  error_code       VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'wire code; NULL: no error',
  error_text       VARCHAR(255)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'public text; NULL: no error',
  PRIMARY KEY (id),
  KEY turn_conversation (conversation_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one run of the loop';

CREATE TABLE IF NOT EXISTS turn_event (
  turn_id    BINARY(16)        NOT NULL COMMENT 'turn.id',
  seq        INT UNSIGNED      NOT NULL COMMENT 'number of the first event in the batch, from 1',
  n          SMALLINT UNSIGNED NOT NULL COMMENT 'events in the batch',
  created_us BIGINT            NOT NULL COMMENT 'us since 1970 UTC',
  data       MEDIUMBLOB        NOT NULL COMMENT 'the events, packed by the turn loop',
  PRIMARY KEY (turn_id, seq),
  KEY turn_event_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='flushed event batches, for resuming streams; expire';

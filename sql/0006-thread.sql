-- Editing of threads: what was superseded stays as a variant; forks; and a
-- counter that every change of a conversation moves.

ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS version     BIGINT          NOT NULL DEFAULT 0 COMMENT 'moved by every change of title, thread or running turn',
  ADD COLUMN IF NOT EXISTS superseded  INT UNSIGNED    NOT NULL DEFAULT 0 COMMENT 'numbers up to last_seq that are not in the thread: superseded messages and gaps',
  ADD COLUMN IF NOT EXISTS forked_from BINARY(16)      NULL COMMENT 'conversation.id that it was copied from; NULL: none, or it was deleted',
  ADD COLUMN IF NOT EXISTS forked_seq  INT UNSIGNED    NULL COMMENT 'message.seq of the last message that was copied; NULL: no fork';

CREATE INDEX IF NOT EXISTS conversation_fork ON conversation (forked_from);

ALTER TABLE message
  ADD COLUMN IF NOT EXISTS superseded_seq INT UNSIGNED      NULL COMMENT 'NULL: in the thread; else superseded: message.seq of the first message of its variant',
  ADD COLUMN IF NOT EXISTS variant_index  SMALLINT UNSIGNED NULL COMMENT 'which of the variants at its place it is, from 1; NULL: the only one',
  ADD COLUMN IF NOT EXISTS variant_count  SMALLINT UNSIGNED NULL COMMENT 'variants at its place when it came into the thread; NULL: the only one';

ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS variant_index SMALLINT UNSIGNED NULL COMMENT 'message.variant_index of the answer to come; NULL: none',
  ADD COLUMN IF NOT EXISTS variant_count SMALLINT UNSIGNED NULL COMMENT 'message.variant_count of the answer to come; NULL: none';

CREATE TABLE IF NOT EXISTS variant (
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  after_seq       INT UNSIGNED NOT NULL COMMENT 'its place: message.seq of what it follows; 0: it begins the thread',
  head_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq of its first message; the newest one''s may be to come',
  last_seq        INT UNSIGNED NULL     COMMENT 'no message of it has a greater message.seq; NULL: it is the current one at its place',
  created_us      BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (conversation_id, after_seq, head_seq),
  UNIQUE KEY variant_head (conversation_id, head_seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='what follows a message, where there is more than one';

-- Which numbers are not in a thread is said by ranges, not by each message: to
-- supersede a tail writes one row, and a page skips it without reading it.
-- message.superseded_seq is not used any more.

CREATE TABLE IF NOT EXISTS thread_gap (
  conversation_id BINARY(16)   NOT NULL COMMENT 'conversation.id',
  head_seq        INT UNSIGNED NOT NULL COMMENT '0: a gap of the thread; else of the superseded variant whose variant.head_seq it is',
  from_seq        INT UNSIGNED NOT NULL COMMENT 'message.seq from which on there is nothing of it',
  to_seq          INT UNSIGNED NOT NULL COMMENT 'the last such number; 4294967295: what is behind a superseded variant',
  PRIMARY KEY (conversation_id, head_seq, from_seq),
  UNIQUE KEY thread_gap_to (conversation_id, head_seq, to_seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='numbers between the messages of a thread or a variant; no two touch';

ALTER TABLE message
  MODIFY COLUMN superseded_seq INT UNSIGNED NULL COMMENT 'not used: thread_gap says what is in the thread';

-- Threads that were edited before, or are forks of such, 50 by a transaction. The
-- rows of a variant begin with its head; behind its last one there is nothing of
-- it, behind the last one of a thread nothing up to last_seq.
EXECUTE IMMEDIATE "BEGIN NOT ATOMIC
  DECLARE from_id BINARY(16) DEFAULT '';
  DECLARE to_id BINARY(16);
  REPEAT
    SELECT MAX(id) INTO to_id FROM
      (SELECT id FROM conversation WHERE superseded > 0 AND id > from_id
       ORDER BY id LIMIT 50) part;
    INSERT IGNORE INTO thread_gap (conversation_id, head_seq, from_seq, to_seq)
    SELECT conversation_id, head_seq, before_seq + 1, seq - 1 FROM
      (SELECT m.conversation_id, COALESCE(m.superseded_seq, 0) AS head_seq, m.seq,
         COALESCE(LAG(m.seq) OVER (PARTITION BY m.conversation_id,
           m.superseded_seq ORDER BY m.seq),
           IF(m.superseded_seq IS NULL, 0, m.seq - 1)) AS before_seq
       FROM message m JOIN conversation c ON c.id = m.conversation_id
       WHERE c.superseded > 0 AND c.id > from_id AND c.id <= to_id) row_of
    WHERE seq > before_seq + 1;
    INSERT IGNORE INTO thread_gap (conversation_id, head_seq, from_seq, to_seq)
    SELECT c.id, 0, COALESCE(MAX(m.seq), 0) + 1, c.last_seq FROM conversation c
      LEFT JOIN message m ON m.conversation_id = c.id AND m.superseded_seq IS NULL
      WHERE c.superseded > 0 AND c.id > from_id AND c.id <= to_id
      GROUP BY c.id, c.last_seq HAVING COALESCE(MAX(m.seq), 0) < c.last_seq;
    INSERT IGNORE INTO thread_gap (conversation_id, head_seq, from_seq, to_seq)
    SELECT m.conversation_id, m.superseded_seq, MAX(m.seq) + 1, 4294967295
      FROM message m JOIN conversation c ON c.id = m.conversation_id
      WHERE c.superseded > 0 AND c.id > from_id AND c.id <= to_id
      AND m.superseded_seq IS NOT NULL GROUP BY m.conversation_id, m.superseded_seq;
    SET from_id = to_id;
  UNTIL to_id IS NULL END REPEAT;
END";

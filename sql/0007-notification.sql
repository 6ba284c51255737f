-- What happens to a user's conversations, for those who watch all of them.

-- Numbers are taken under the lock of this row and become visible with its
-- commit: whoever has read up to a number has missed nothing below it. There is
-- a row for those only who have ever listened, and none is written for others.
CREATE TABLE IF NOT EXISTS notification_topic (
  user_id    BINARY(16)  NOT NULL COMMENT 'whose: user.id, which holds the tenant too (hash of tenant and login)',
  tenant_id  VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  last_seq   BIGINT      NOT NULL DEFAULT 0 COMMENT 'newest notification.seq ever given; 0: none',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (user_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='one per user who has listened: the numbers of notifications';

CREATE TABLE IF NOT EXISTS notification (
  user_id         BINARY(16)       NOT NULL COMMENT 'notification_topic.user_id',
  seq             BIGINT           NOT NULL COMMENT '1, 2, ... for this user',
  kind            TINYINT UNSIGNED NOT NULL COMMENT '1 turn status, 2 title, 3 conversation, 4 job progress, 5 refresh',
  subject_id      BINARY(16)       NULL     COMMENT 'turn.id or job; NULL: none',
  conversation_id BINARY(16)       NULL     COMMENT 'conversation.id; NULL: none',
  word            VARCHAR(32)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'status, change, or what to read again; NULL: none',
  title           VARCHAR(200)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of the conversation; NULL: none, or it was deleted',
  done            BIGINT           NULL     COMMENT 'of a job, in its own unit; NULL: not a job',
  total           BIGINT           NULL     COMMENT 'of a job; NULL: not known',
  created_us      BIGINT           NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (user_id, seq),
  KEY notification_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='notices, clustered by user; they expire after an hour';

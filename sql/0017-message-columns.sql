-- What the program asks of a message stands in a column: `meta` holds texts of
-- others, so it is parsed where it is read and never searched.

ALTER TABLE message
  ADD COLUMN IF NOT EXISTS kind          TINYINT UNSIGNED NULL COMMENT '1 said by the user or the system, 2 step: assistant row that called tools, 3 answer, 4 result of a tool; NULL: written by an older version',
  ADD COLUMN IF NOT EXISTS finish_reason VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'how the answer ended, as in meta; NULL: not an answer',
  ADD COLUMN IF NOT EXISTS client_id     VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'what the client calls it, as in meta; NULL: it has no name for it',
  ADD COLUMN IF NOT EXISTS web           TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: the user wants the web to be searched, as in meta',
  ADD COLUMN IF NOT EXISTS continues_seq INT UNSIGNED     NULL COMMENT 'message.seq of the answer that was cut short and continues here; NULL: none',
  ADD COLUMN IF NOT EXISTS kept          TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '1: a result of a tool that was cut, and is in tool_output as a whole';

-- Rows of older versions, 50 conversations by a transaction, each row once. Only
-- we wrote how the metadata of a step begins. IGNORE: what is no JSON to the
-- server (its parser stops at 32 levels) says nothing.
EXECUTE IMMEDIATE "BEGIN NOT ATOMIC
  DECLARE from_id BINARY(16) DEFAULT '';
  DECLARE to_id BINARY(16);
  REPEAT
    SELECT MAX(id) INTO to_id FROM
      (SELECT id FROM conversation WHERE id > from_id ORDER BY id LIMIT 50) part;
    UPDATE IGNORE message SET
      kind = CASE role WHEN 4 THEN 4 WHEN 2 THEN
        IF(COALESCE(meta, '') LIKE '{\"step\":true%', 2, 3) ELSE 1 END,
      finish_reason = IF(kind = 3, LEFT(JSON_VALUE(meta, '$.finish_reason'), 32), NULL),
      client_id = IF(role = 1, LEFT(JSON_VALUE(meta, '$.clientMessageId'), 200), NULL),
      web = role = 1 AND COALESCE(JSON_EXTRACT(meta, '$.webSearch') = 'true', 0),
      continues_seq = IF(kind = 3 AND JSON_VALID(meta) AND
        JSON_VALUE(meta, '$.continues') REGEXP '^[-0-9a-f]{36}[.][0-9]{1,9}$',
        SUBSTRING(JSON_VALUE(meta, '$.continues'), 38), NULL),
      meta = IF(continues_seq IS NULL, meta, JSON_REMOVE(meta, '$.continues')),
      kept = role = 4 AND LOCATE('; read_result {\"result\":\"', content) > 0 AND EXISTS
        (SELECT 1 FROM tool_output o WHERE o.conversation_id = message.conversation_id)
      WHERE conversation_id > from_id AND conversation_id <= to_id AND kind IS NULL;
    SET from_id = to_id;
  UNTIL to_id IS NULL END REPEAT;
END";

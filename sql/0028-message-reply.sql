-- What the user chose when a call asked is a row of a kind of its own: the result of
-- the call for the model, the user's words in the thread.

ALTER TABLE message
  MODIFY COLUMN kind TINYINT UNSIGNED NULL COMMENT '1 said by the user or the system, 2 step: assistant row that called tools, 3 answer, 4 result of a tool, 5 result of a question: what the user chose; NULL: written by an older version';

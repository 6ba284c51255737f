-- A fork of a long thread is there at once: its older messages are copied by a job.
ALTER TABLE conversation
  ADD COLUMN IF NOT EXISTS copy_of  BINARY(16)   NULL COMMENT 'conversation.id that its older messages are still to be copied from; NULL: it has them all',
  ADD COLUMN IF NOT EXISTS copy_seq INT UNSIGNED NULL COMMENT 'message.seq up to which they are; NULL: it has them all',
  ADD KEY IF NOT EXISTS conversation_copy (copy_of);

-- SPDX-License-Identifier: MIT
-- What lists are searched in, folded, stands with its row: it is written, deleted and
-- brought back with it. `lamplighter migrate` folds the texts of rows that are there.
ALTER TABLE prompt_category
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE prompt
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE llm_service
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE workspace
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE workspace_service
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE agent
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE knowledge_base
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE project
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE entity
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';
ALTER TABLE conversation_folder
  ADD COLUMN IF NOT EXISTS folded MEDIUMBLOB NULL COMMENT 'UTF-8: what q finds it by, without case and accents, a line for each field; NULL: written before there was a search, until migrate has run';

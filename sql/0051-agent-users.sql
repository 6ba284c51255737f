-- SPDX-License-Identifier: MIT
-- How many users an agent has, read from an index alone: a conversation's agent and user
-- never change, so turns do not touch it. And conversations with an agent that is only
-- tried (its id is "~draft"), which are in no list.
ALTER TABLE conversation
  ADD KEY IF NOT EXISTS conversation_users (tenant_id, workspace_id, agent_id, user_id),
  MODIFY shelf TINYINT GENERATED ALWAYS AS (IF(archived = 1, 1, IF(agent_id = '~draft', 3, IF(client IS NULL, 0, 2)))) STORED COMMENT 'its list. 0: the user''s own; 1: archived; 2: of programs; 3: in none';

-- SPDX-License-Identifier: MIT
-- A version of what is remembered may only clear the agent state (D38).
ALTER TABLE conversation_memory
  MODIFY COLUMN why TINYINT UNSIGNED NOT NULL COMMENT '1 turns, 2 characters, 3 budget: folded for that reason; 4 results of tools; 5 changed by the user; 6 removed by the user; 7 the agent state was cleared';

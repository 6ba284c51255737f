-- SPDX-License-Identifier: MIT
-- Numbers that were JSON texts (lib/resource/resource.def: REAL).
ALTER TABLE agent
  MODIFY rag_min_score DOUBLE NULL COMMENT '0 to 1; NULL: not said';
ALTER TABLE llm_service
  MODIFY temperature DOUBLE NULL COMMENT '0 to 2; NULL: not sent',
  MODIFY top_p DOUBLE NULL COMMENT '0 to 1; NULL: not sent';
ALTER TABLE workspace_service
  MODIFY temperature DOUBLE NULL COMMENT '0 to 2; NULL: not sent',
  MODIFY top_p DOUBLE NULL COMMENT '0 to 1; NULL: not sent';

-- What a deleted agent or workspace takes with it, whoever's.
ALTER TABLE conversation
  ADD KEY IF NOT EXISTS conversation_of_workspace (tenant_id, workspace_id, agent_id, created_us, id);

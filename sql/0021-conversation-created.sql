-- The list of an agent's conversations is by creation (B28).
ALTER TABLE conversation
  ADD KEY IF NOT EXISTS conversation_of_agent (tenant_id, user_id, workspace_id, agent_id, created_us, id);

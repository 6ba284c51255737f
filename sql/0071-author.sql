-- Who wrote a prompt that others have in their turns: user_id says who made the row,
-- not who changed its text. Unknown for texts of older versions, except private ones.

ALTER TABLE agent
  ADD COLUMN IF NOT EXISTS author_id BINARY(16) NULL COMMENT 'who wrote system_prompt: user.id; NULL: unknown, or the installation',
  ADD COLUMN IF NOT EXISTS author MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON {login, groups}: that user, and their groups when they wrote it; {}: the installation; NULL: unknown' CHECK (JSON_VALID(author)),
  ADD KEY IF NOT EXISTS agent_author (tenant_id, author_id);

ALTER TABLE workspace
  ADD COLUMN IF NOT EXISTS author_id BINARY(16) NULL COMMENT 'who wrote prompt: user.id; NULL: unknown, or the installation',
  ADD COLUMN IF NOT EXISTS author MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.author' CHECK (JSON_VALID(author)),
  ADD KEY IF NOT EXISTS workspace_author (tenant_id, author_id);

ALTER TABLE prompt
  ADD COLUMN IF NOT EXISTS author_id BINARY(16) NULL COMMENT 'who wrote body: user.id; NULL: unknown, or the installation',
  ADD COLUMN IF NOT EXISTS author MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.author' CHECK (JSON_VALID(author)),
  ADD KEY IF NOT EXISTS prompt_author (tenant_id, author_id);

ALTER TABLE setting
  ADD COLUMN IF NOT EXISTS author_id BINARY(16) NULL COMMENT 'who wrote team_prompt: user.id; NULL: unknown, or the installation',
  ADD COLUMN IF NOT EXISTS author MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as agent.author' CHECK (JSON_VALID(author)),
  ADD KEY IF NOT EXISTS setting_author (tenant_id, author_id);

UPDATE agent a JOIN user u ON u.id = a.user_id
  SET a.author_id = u.id, a.author = JSON_OBJECT('login', u.login, 'groups', JSON_ARRAY())
  WHERE a.author IS NULL AND a.holder_id = a.user_id;

UPDATE prompt p JOIN user u ON u.id = p.user_id
  SET p.author_id = u.id, p.author = JSON_OBJECT('login', u.login, 'groups', JSON_ARRAY())
  WHERE p.author IS NULL AND p.holder_id = p.user_id AND p.copied_from IS NULL;

-- SPDX-License-Identifier: MIT
-- Fields of what is in projects that an installation declares.
ALTER TABLE project
  ADD COLUMN IF NOT EXISTS props JSON NULL COMMENT 'object; its members are declared in YAML, or were; NULL: it has none' CHECK (JSON_VALID(props));
ALTER TABLE entity
  ADD COLUMN IF NOT EXISTS props JSON NULL COMMENT 'as project.props' CHECK (JSON_VALID(props));

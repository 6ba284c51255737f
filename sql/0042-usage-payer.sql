-- Whose key paid for a model call.

ALTER TABLE usage_record
  ADD COLUMN IF NOT EXISTS payer TINYINT UNSIGNED NULL COMMENT '1 the installation (a service of the configuration), 2 the tenant (a service made over the API), 3 the user (a key of their own); NULL: not known' AFTER model;

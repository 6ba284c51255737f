-- Who closes a dead turn also knows whose key paid for it.
ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS payer TINYINT UNSIGNED NULL COMMENT '1 the installation, 2 the tenant, 3 the user, as usage_record.payer; NULL: not known' AFTER model;

-- What is open for a user is found without what has expired: that stays open
-- until its turn is looked at.
ALTER TABLE turn_wait
  ADD KEY IF NOT EXISTS turn_wait_open (tenant_id, user_id, status, kind, expires_us);
ALTER TABLE turn_wait DROP KEY IF EXISTS turn_wait_user;

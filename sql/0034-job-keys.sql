-- Jobs that failed for good are found by age without sorting them.
ALTER TABLE job
  ADD KEY IF NOT EXISTS job_due_age (due_us, created_us);
ALTER TABLE job DROP KEY IF EXISTS job_due;

-- Running turns are few: those whose lease is over are found among them. The
-- lease is not in the key, because it is extended several times a minute.
ALTER TABLE turn
  ADD KEY IF NOT EXISTS turn_status (status);

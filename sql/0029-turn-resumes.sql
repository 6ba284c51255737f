-- The end of a turn belongs to the run that reached it: not to one that a later
-- answer has started.
ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS resumes INT UNSIGNED NOT NULL DEFAULT 0
  COMMENT 'how often it was resumed after it waited: the number of its run';

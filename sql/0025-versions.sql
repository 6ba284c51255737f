-- SPDX-License-Identifier: MIT
-- How long versions are kept, and for whom their bytes count.
ALTER TABLE prompt_version
  ADD COLUMN IF NOT EXISTS replaced_us BIGINT NULL COMMENT 'us since 1970 UTC: since when it is not the newest; NULL: it is',
  ADD COLUMN IF NOT EXISTS bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'of its texts, in UTF-8',
  ADD KEY IF NOT EXISTS prompt_version_replaced (replaced_us),
  ADD KEY IF NOT EXISTS prompt_version_user (tenant_id, user_id, bytes);
UPDATE prompt_version
  SET bytes = LENGTH(name) + COALESCE(LENGTH(description), 0) + LENGTH(body) WHERE bytes = 0;
UPDATE prompt_version v JOIN (SELECT parent_id, MAX(number) AS newest FROM prompt_version
    GROUP BY parent_id) n ON n.parent_id = v.parent_id
  SET v.replaced_us = UNIX_TIMESTAMP() * 1000000
  WHERE v.number < n.newest AND v.replaced_us IS NULL;

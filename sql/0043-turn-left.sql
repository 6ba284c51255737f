-- SPDX-License-Identifier: MIT
-- When a turn is stopped whose client can only leave its stream.
ALTER TABLE turn
  ADD COLUMN IF NOT EXISTS stop_us BIGINT NULL COMMENT 'us since 1970 UTC: it is stopped then, for its client has left and none has come back; NULL: nobody left';

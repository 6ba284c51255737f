-- API_TOKEN_LIST (suiiui) -> (uiiiusSIIISSISSB)
SELECT id, version, created_us, updated_us, user_id, '', `name`, `expires_us`, `read_only`, `approve`, `agents`, `tools`, `used_us`, `groups`, `login`, `hash` FROM api_token WHERE tenant_id = ? AND user_id = ? AND revoked_us IS NULL AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- API_TOKEN_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM api_token WHERE tenant_id = ? AND user_id = ? AND revoked_us IS NULL LIMIT ?) c;
-- API_TOKEN_GET (usu) -> (uiiiusSIIISSISSB)
SELECT id, version, created_us, updated_us, user_id, '', `name`, `expires_us`, `read_only`, `approve`, `agents`, `tools`, `used_us`, `groups`, `login`, `hash` FROM api_token WHERE id = ? AND tenant_id = ? AND user_id = ? AND revoked_us IS NULL;
-- API_TOKEN_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM api_token WHERE tenant_id = ? AND user_id = ? AND revoked_us IS NULL LIMIT ?) c;
-- API_TOKEN_EXPORT (suui) -> (uiiiusSIIISSISSB)
SELECT id, version, created_us, updated_us, user_id, '', `name`, `expires_us`, `read_only`, `approve`, `agents`, `tools`, `used_us`, `groups`, `login`, `hash` FROM api_token WHERE tenant_id = ? AND user_id = ? AND revoked_us IS NULL AND id > ? ORDER BY id LIMIT ?;
-- API_TOKEN_INSERT (usuiiiSIIISSISSB) -> ()
INSERT INTO api_token (id, tenant_id, user_id, version, created_us, updated_us, `name`, `expires_us`, `read_only`, `approve`, `agents`, `tools`, `used_us`, `groups`, `login`, `hash`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- API_TOKEN_UPDATE (iISusui) -> ()
UPDATE api_token SET version = version + 1, updated_us = ?, `name` = IF(?, ?, `name`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ? AND revoked_us IS NULL;
-- API_TOKEN_DELETE (iusu) -> ()
UPDATE api_token SET revoked_us = ? WHERE id = ? AND tenant_id = ? AND user_id = ? AND revoked_us IS NULL;
-- API_TOKEN_ERASE (su) -> ()
DELETE FROM api_token WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- PROMPT_CATEGORY_LIST (sssui) -> (uiiiusSSSSB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `description`, `icon`, `colour`, CAST(NULL AS BINARY) FROM prompt_category WHERE tenant_id = ? AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- PROMPT_CATEGORY_TOTAL (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_category WHERE tenant_id = ? LIMIT ?) c;
-- PROMPT_CATEGORY_GET (us) -> (uiiiusSSSSB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `description`, `icon`, `colour`, CAST(NULL AS BINARY) FROM prompt_category WHERE id = ? AND tenant_id = ?;
-- PROMPT_CATEGORY_COUNT (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_category WHERE tenant_id = ? LIMIT ?) c;
-- PROMPT_CATEGORY_EXPORT (suui) -> (uiiiusSSSSB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `description`, `icon`, `colour`, CAST(NULL AS BINARY) FROM prompt_category WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROMPT_CATEGORY_INSERT (usuiiisSSSSB) -> ()
INSERT INTO prompt_category (id, tenant_id, user_id, version, created_us, updated_us, sort_key, `name`, `description`, `icon`, `colour`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PROMPT_CATEGORY_UPDATE (iSISISISISIBusi) -> ()
UPDATE prompt_category SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `description` = IF(?, ?, `description`), `icon` = IF(?, ?, `icon`), `colour` = IF(?, ?, `colour`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROMPT_CATEGORY_DELETE (us) -> ()
DELETE FROM prompt_category WHERE id = ? AND tenant_id = ?;
-- PROMPT_CATEGORY_DISOWN (su) -> ()
UPDATE prompt_category SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROMPT_CATEGORY_FIND (sssssssssssui) -> (uiiiusSSSSBB)
SELECT id, version, created_us, updated_us, user_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM prompt_category WHERE tenant_id = ? AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- PROMPT_CATEGORY_FOUND (ss) -> (uiiiusSSSSB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `description`, `icon`, `colour`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN prompt_category ON id = UNHEX(y) WHERE tenant_id = ?;
-- PROMPT_CATEGORY_UNFOLDED (ui) -> (uiiiusSSSSB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `description`, `icon`, `colour`, CAST(NULL AS BINARY) FROM prompt_category WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROMPT_CATEGORY_FOLD (Bu) -> ()
UPDATE prompt_category SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROMPT_CATEGORY_HOLD (us) -> (u)
SELECT id FROM prompt_category WHERE id = ? AND tenant_id = ? LOCK IN SHARE MODE;
-- CATEGORY_USE_PURGE (u) -> ()
DELETE FROM prompt_in_category WHERE other_id = ? LIMIT 1000;
-- PROMPT_LIST (sussuisussuisussuisussuisussuisussuisussuisussuii) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM ((SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) ORDER BY k, r LIMIT ?) seen JOIN prompt ON id = r ORDER BY k, r;
-- PROMPT_TOTAL (ssi) -> (i)
SELECT COUNT(*) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader ON tenant_id = ? AND reader_id = UNHEX(x) LIMIT ?) c;
-- PROMPT_GET (uss) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM prompt WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader s ON s.row_id = prompt.id AND s.reader_id = UNHEX(x));
-- PROMPT_SET (sss) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN prompt ON prompt.id = UNHEX(i.y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader s ON s.row_id = prompt.id AND s.reader_id = UNHEX(x));
-- PROMPT_ROLES (ss) -> (uI)
SELECT s.row_id, CAST(MAX(IF(s.role > m, 1, s.role)) AS SIGNED) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN prompt_reader s ON s.row_id = UNHEX(i.y) AND s.reader_id = UNHEX(x) GROUP BY s.row_id;
-- PROMPT_READER (suusi) -> ()
INSERT INTO prompt_reader (tenant_id, reader_id, row_id, sort_key, role) VALUES (?, ?, ?, ?, ?);
-- PROMPT_UNREAD (suu) -> ()
DELETE FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? AND row_id = ?;
-- PROMPT_RENAME (ssu) -> ()
UPDATE prompt_reader SET sort_key = ? WHERE tenant_id = ? AND row_id = ?;
-- PROMPT_ANNOUNCE (usuiiisussiUUuu) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM prompt_reader s WHERE s.row_id = ?), ?));
-- PROMPT_ANNOUNCELAST (usuiiisussiUUuu) -> ()
BEGIN NOT ATOMIC INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM prompt_reader s WHERE s.row_id = ?), ?)); COMMIT; END;
-- PROMPT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt WHERE tenant_id = ? AND holder_id = ? LIMIT ?) c;
-- PROMPT_EXPORT (suui) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM prompt WHERE tenant_id = ? AND holder_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROMPT_INSERT (usuiiiusSSSSSSSUIUSB) -> ()
INSERT INTO prompt (id, tenant_id, user_id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, `copied_from`, `copied_version`, `author_id`, `author`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PROMPT_UPDATE (iSISISISISISIUISIBusui) -> ()
UPDATE prompt SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `description` = IF(?, ?, `description`), `icon` = IF(?, ?, `icon`), `colour` = IF(?, ?, `colour`), `body` = IF(?, ?, `body`), `author_id` = IF(?, ?, `author_id`), `author` = IF(?, ?, `author`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND holder_id = ? AND version = ?;
-- PROMPT_DELETE (usu) -> ()
DELETE FROM prompt WHERE id = ? AND tenant_id = ? AND holder_id = ?;
-- PROMPT_DISOWN (su) -> ()
UPDATE prompt SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROMPT_ERASE (su) -> ()
DELETE FROM prompt_reader WHERE tenant_id = ? AND reader_id = ? LIMIT 1000;
-- PROMPT_FIND (ssssssssssssui) -> (uiiiusSSSSSSSBUIUSBB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, CAST(NULL AS CHAR), CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader ON tenant_id = ? AND reader_id = UNHEX(x)) seen STRAIGHT_JOIN prompt ON id = seen.row_id WHERE TRUE AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- PROMPT_FOUND (sss) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN prompt ON id = UNHEX(y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader s ON s.row_id = prompt.id AND s.reader_id = UNHEX(x));
-- PROMPT_UNFOLDED (ui) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM prompt WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROMPT_FOLD (Bu) -> ()
UPDATE prompt SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROMPT_HOLD (usu) -> (u)
SELECT id FROM prompt WHERE id = ? AND tenant_id = ? AND holder_id = ? LOCK IN SHARE MODE;
-- PROMPT_IN_CATEGORY_CLEAR (u) -> ()
DELETE FROM prompt_in_category WHERE row_id = ?;
-- PROMPT_IN_CATEGORY_ADD (uus) -> ()
INSERT INTO prompt_in_category (row_id, other_id) SELECT ?, id FROM prompt_category WHERE id = ? AND tenant_id = ? LOCK IN SHARE MODE;
-- PROMPT_IN_CATEGORY_ADDFILE (uu) -> ()
INSERT INTO prompt_in_category (row_id, other_id) VALUES (?, ?);
-- PROMPT_FILED (ussssui) -> (uiiiusSSSSSSSBUIUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `icon`, `colour`, `body`, `tier`, `team`, (SELECT GROUP_CONCAT(other_id ORDER BY other_id SEPARATOR '') FROM prompt_in_category WHERE row_id = id), `copied_from`, `copied_version`, `author_id`, `author`, CAST(NULL AS BINARY) FROM prompt_in_category f JOIN prompt ON id = f.row_id WHERE f.other_id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader s ON s.row_id = prompt.id AND s.reader_id = UNHEX(x)) AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- PROMPT_FILEDTOTAL (ussi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_in_category f JOIN prompt ON id = f.row_id WHERE f.other_id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN prompt_reader s ON s.row_id = prompt.id AND s.reader_id = UNHEX(x)) LIMIT ?) c;
-- PROMPT_IN_CATEGORY_PURGE (u) -> ()
DELETE FROM prompt_in_category WHERE row_id = ? LIMIT 1000;
-- PROMPT_READER_PURGE (u) -> ()
DELETE FROM prompt_reader WHERE row_id = ? LIMIT 1000;
-- PROMPT_USE_PURGE (u) -> ()
DELETE FROM prompt_use WHERE prompt_id = ? LIMIT 1000;
-- PROMPT_VERSION_LIST (suiiui) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, CAST(NULL AS CHAR) FROM prompt_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROMPT_VERSION_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROMPT_VERSION_GET (usu) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, `body` FROM prompt_version WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- PROMPT_VERSION_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROMPT_VERSION_EXPORT (suui) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, `body` FROM prompt_version WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROMPT_VERSION_INSERT (usuiiiuIISSS) -> ()
INSERT INTO prompt_version (id, tenant_id, user_id, version, created_us, updated_us, parent_id, `number`, `bytes`, `name`, `description`, `body`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PROMPT_VERSION_UPDATE (iusui) -> ()
UPDATE prompt_version SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ?;
-- PROMPT_VERSION_DELETE (usu) -> ()
DELETE FROM prompt_version WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- PROMPT_VERSION_DISOWN (su) -> ()
UPDATE prompt_version SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROMPT_VERSION_EXPIRE (i) -> ()
DELETE FROM prompt_version WHERE replaced_us < ? ORDER BY replaced_us LIMIT 1000;
-- PROMPT_VERSION_NEWEST (su) -> (uuii)
SELECT id, user_id, created_us, number FROM prompt_version WHERE tenant_id = ? AND parent_id = ? ORDER BY created_us DESC, id DESC LIMIT 1;
-- PROMPT_VERSION_MERGE (u) -> ()
DELETE FROM prompt_version WHERE id = ?;
-- PROMPT_VERSION_REPLACE (iu) -> ()
UPDATE prompt_version SET replaced_us = ? WHERE id = ?;
-- PROMPT_VERSION_BYTES (su) -> (i)
SELECT CAST(COALESCE(SUM(bytes), 0) AS SIGNED) FROM prompt_version WHERE tenant_id = ? AND user_id = ?;
-- PROMPT_VERSION_CUT (susuii) -> ()
DELETE FROM prompt_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= (SELECT MAX(created_us) FROM (SELECT created_us, ROW_NUMBER() OVER w AS n, SUM(bytes) OVER w AS total FROM prompt_version WHERE tenant_id = ? AND parent_id = ? WINDOW w AS (ORDER BY created_us DESC)) v WHERE n > 1 AND (n > ? OR total > ?));
-- PROMPT_VERSION_PURGE (u) -> ()
DELETE FROM prompt_version WHERE parent_id = ? LIMIT 1000;
-- PROMPT_SHARE_LIST (suiiui) -> (uiiiusS)
SELECT id, version, created_us, updated_us, parent_id, '', `group_name` FROM prompt_share WHERE tenant_id = ? AND parent_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROMPT_SHARE_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_share WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROMPT_SHARE_GET (usu) -> (uiiiusS)
SELECT id, version, created_us, updated_us, parent_id, '', `group_name` FROM prompt_share WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- PROMPT_SHARE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM prompt_share WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROMPT_SHARE_EXPORT (suui) -> (uiiiusS)
SELECT id, version, created_us, updated_us, parent_id, '', `group_name` FROM prompt_share WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROMPT_SHARE_INSERT (usuiiiuS) -> ()
INSERT INTO prompt_share (id, tenant_id, user_id, version, created_us, updated_us, parent_id, `group_name`) VALUES (?, ?, ?, ?, ?, ?, ?, ?);
-- PROMPT_SHARE_UPDATE (iusui) -> ()
UPDATE prompt_share SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ?;
-- PROMPT_SHARE_DELETE (usu) -> ()
DELETE FROM prompt_share WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- PROMPT_SHARE_DISOWN (su) -> ()
UPDATE prompt_share SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROMPT_SHARE_PURGE (u) -> ()
DELETE FROM prompt_share WHERE parent_id = ? LIMIT 1000;
-- LLM_SERVICE_LIST (sssui) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service WHERE tenant_id = ? AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- LLM_SERVICE_TOTAL (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM llm_service WHERE tenant_id = ? LIMIT ?) c;
-- LLM_SERVICE_GET (us) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service WHERE id = ? AND tenant_id = ?;
-- LLM_SERVICE_COUNT (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM llm_service WHERE tenant_id = ? LIMIT ?) c;
-- LLM_SERVICE_EXPORT (suui) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- LLM_SERVICE_INSERT (usuiiisSSSSBSSSSIIDDSIBIIIIISS) -> ()
INSERT INTO llm_service (id, tenant_id, user_id, version, created_us, updated_us, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, `folded`, `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- LLM_SERVICE_UPDATE (iSISISISISIBISISISIIIIIDIDISIIIBIIIIIIIIIIISISusi) -> ()
UPDATE llm_service SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `provider` = IF(?, ?, `provider`), `model` = IF(?, ?, `model`), `url` = IF(?, ?, `url`), `api_key` = IF(?, ?, `api_key`), `api_version` = IF(?, ?, `api_version`), `deployment` = IF(?, ?, `deployment`), `capabilities` = IF(?, ?, `capabilities`), `context_tokens` = IF(?, ?, `context_tokens`), `max_output_tokens` = IF(?, ?, `max_output_tokens`), `temperature` = IF(?, ?, `temperature`), `top_p` = IF(?, ?, `top_p`), `reasoning_effort` = IF(?, ?, `reasoning_effort`), `thinking_budget_tokens` = IF(?, ?, `thinking_budget_tokens`), `folded` = IF(?, ?, `folded`), `connect_timeout_ms` = IF(?, ?, `connect_timeout_ms`), `first_byte_timeout_ms` = IF(?, ?, `first_byte_timeout_ms`), `idle_timeout_ms` = IF(?, ?, `idle_timeout_ms`), `total_timeout_ms` = IF(?, ?, `total_timeout_ms`), `retries` = IF(?, ?, `retries`), `fallbacks` = IF(?, ?, `fallbacks`), `quirks` = IF(?, ?, `quirks`) WHERE id = ? AND tenant_id = ? AND version = ?;
-- LLM_SERVICE_DELETE (us) -> ()
DELETE FROM llm_service WHERE id = ? AND tenant_id = ?;
-- LLM_SERVICE_DISOWN (su) -> ()
UPDATE llm_service SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- LLM_SERVICE_FIND (sssssssssssui) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISSB)
SELECT id, version, created_us, updated_us, user_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS BINARY), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, CAST(NULL AS CHAR), `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM llm_service WHERE tenant_id = ? AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- LLM_SERVICE_FOUND (ss) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN llm_service ON id = UNHEX(y) WHERE tenant_id = ?;
-- LLM_SERVICE_UNFOLDED (ui) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- LLM_SERVICE_FOLD (Bu) -> ()
UPDATE llm_service SET folded = ? WHERE id = ? AND folded IS NULL;
-- LLM_SERVICE_KEY_STALE (Bui) -> (usB)
SELECT id, tenant_id, api_key FROM llm_service WHERE api_key IS NOT NULL AND LEFT(api_key, 9) <> ? AND id > ? ORDER BY id LIMIT ?;
-- LLM_SERVICE_KEY_RESEAL (BuB) -> ()
UPDATE llm_service SET api_key = ? WHERE id = ? AND api_key = ?;
-- PROVIDER_INSTANCE_LIST (suiiui) -> (uiiiusSSSSBSSSSI)
SELECT id, version, created_us, updated_us, user_id, '', `display_name`, `provider`, `model`, `url`, `api_key`, `api_version`, `deployment`, `capabilities`, `agents`, `active` FROM provider_instance WHERE tenant_id = ? AND user_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROVIDER_INSTANCE_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM provider_instance WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- PROVIDER_INSTANCE_GET (usu) -> (uiiiusSSSSBSSSSI)
SELECT id, version, created_us, updated_us, user_id, '', `display_name`, `provider`, `model`, `url`, `api_key`, `api_version`, `deployment`, `capabilities`, `agents`, `active` FROM provider_instance WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PROVIDER_INSTANCE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM provider_instance WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- PROVIDER_INSTANCE_EXPORT (suui) -> (uiiiusSSSSBSSSSI)
SELECT id, version, created_us, updated_us, user_id, '', `display_name`, `provider`, `model`, `url`, `api_key`, `api_version`, `deployment`, `capabilities`, `agents`, `active` FROM provider_instance WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROVIDER_INSTANCE_INSERT (usuiiiSSSSBSSSSI) -> ()
INSERT INTO provider_instance (id, tenant_id, user_id, version, created_us, updated_us, `display_name`, `provider`, `model`, `url`, `api_key`, `api_version`, `deployment`, `capabilities`, `agents`, `active`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PROVIDER_INSTANCE_UPDATE (iISISISISIBISISISISIIusui) -> ()
UPDATE provider_instance SET version = version + 1, updated_us = ?, `display_name` = IF(?, ?, `display_name`), `provider` = IF(?, ?, `provider`), `model` = IF(?, ?, `model`), `url` = IF(?, ?, `url`), `api_key` = IF(?, ?, `api_key`), `api_version` = IF(?, ?, `api_version`), `deployment` = IF(?, ?, `deployment`), `capabilities` = IF(?, ?, `capabilities`), `agents` = IF(?, ?, `agents`), `active` = IF(?, ?, `active`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- PROVIDER_INSTANCE_DELETE (usu) -> ()
DELETE FROM provider_instance WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PROVIDER_INSTANCE_ERASE (su) -> ()
DELETE FROM provider_instance WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- PROVIDER_INSTANCE_KEY_STALE (Bui) -> (usB)
SELECT id, tenant_id, api_key FROM provider_instance WHERE api_key IS NOT NULL AND LEFT(api_key, 9) <> ? AND id > ? ORDER BY id LIMIT ?;
-- PROVIDER_INSTANCE_KEY_RESEAL (BuB) -> ()
UPDATE provider_instance SET api_key = ? WHERE id = ? AND api_key = ?;
-- WORKSPACE_LIST (sussuisussuisussuisussuisussuisussuisussuisussuii) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM ((SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) ORDER BY k, r LIMIT ?) seen JOIN workspace ON id = r ORDER BY k, r;
-- WORKSPACE_TOTAL (ssi) -> (i)
SELECT COUNT(*) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN workspace_reader ON tenant_id = ? AND reader_id = UNHEX(x) LIMIT ?) c;
-- WORKSPACE_GET (uss) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM workspace WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN workspace_reader s ON s.row_id = workspace.id AND s.reader_id = UNHEX(x));
-- WORKSPACE_SET (sss) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN workspace ON workspace.id = UNHEX(i.y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN workspace_reader s ON s.row_id = workspace.id AND s.reader_id = UNHEX(x));
-- WORKSPACE_ROLES (ss) -> (uI)
SELECT s.row_id, CAST(MAX(IF(s.role > m, 1, s.role)) AS SIGNED) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN workspace_reader s ON s.row_id = UNHEX(i.y) AND s.reader_id = UNHEX(x) GROUP BY s.row_id;
-- WORKSPACE_READER (suusi) -> ()
INSERT INTO workspace_reader (tenant_id, reader_id, row_id, sort_key, role) VALUES (?, ?, ?, ?, ?);
-- WORKSPACE_UNREAD (suu) -> ()
DELETE FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? AND row_id = ?;
-- WORKSPACE_RENAME (ssu) -> ()
UPDATE workspace_reader SET sort_key = ? WHERE tenant_id = ? AND row_id = ?;
-- WORKSPACE_ANNOUNCE (usuiiisussiUUuu) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM workspace_reader s WHERE s.row_id = ?), ?));
-- WORKSPACE_ANNOUNCELAST (usuiiisussiUUuu) -> ()
BEGIN NOT ATOMIC INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM workspace_reader s WHERE s.row_id = ?), ?)); COMMIT; END;
-- WORKSPACE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM workspace WHERE tenant_id = ? AND holder_id = ? LIMIT ?) c;
-- WORKSPACE_EXPORT (suui) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM workspace WHERE tenant_id = ? AND holder_id = ? AND id > ? ORDER BY id LIMIT ?;
-- WORKSPACE_INSERT (usuiiiusSSSSSSISSSSSUSB) -> ()
INSERT INTO workspace (id, tenant_id, user_id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- WORKSPACE_UPDATE (iSISISISISISIIISISISISISIUISIBusui) -> ()
UPDATE workspace SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `description` = IF(?, ?, `description`), `prompt` = IF(?, ?, `prompt`), `llm_service_id` = IF(?, ?, `llm_service_id`), `tools` = IF(?, ?, `tools`), `max_tool_iterations` = IF(?, ?, `max_tool_iterations`), `suggestions` = IF(?, ?, `suggestions`), `default_agent_id` = IF(?, ?, `default_agent_id`), `manager_users` = IF(?, ?, `manager_users`), `manager_groups` = IF(?, ?, `manager_groups`), `visible_to` = IF(?, ?, `visible_to`), `author_id` = IF(?, ?, `author_id`), `author` = IF(?, ?, `author`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND holder_id = ? AND version = ?;
-- WORKSPACE_DELETE (usu) -> ()
DELETE FROM workspace WHERE id = ? AND tenant_id = ? AND holder_id = ?;
-- WORKSPACE_DISOWN (su) -> ()
UPDATE workspace SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- WORKSPACE_ERASE (su) -> ()
DELETE FROM workspace_reader WHERE tenant_id = ? AND reader_id = ? LIMIT 1000;
-- WORKSPACE_NAMED (ss) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM workspace WHERE tenant_id = ? AND workspace_id = ?;
-- WORKSPACE_FIND (ssssssssssssui) -> (uiiiusSSSSSSISSSSSUSBB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `max_tool_iterations`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `author_id`, CAST(NULL AS CHAR), CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN workspace_reader ON tenant_id = ? AND reader_id = UNHEX(x)) seen STRAIGHT_JOIN workspace ON id = seen.row_id WHERE TRUE AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- WORKSPACE_FOUND (sss) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN workspace ON id = UNHEX(y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN workspace_reader s ON s.row_id = workspace.id AND s.reader_id = UNHEX(x));
-- WORKSPACE_UNFOLDED (ui) -> (uiiiusSSSSSSISSSSSUSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `workspace_id`, `prompt`, `llm_service_id`, `tools`, `max_tool_iterations`, `suggestions`, `default_agent_id`, `manager_users`, `manager_groups`, `visible_to`, `author_id`, `author`, CAST(NULL AS BINARY) FROM workspace WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- WORKSPACE_FOLD (Bu) -> ()
UPDATE workspace SET folded = ? WHERE id = ? AND folded IS NULL;
-- WORKSPACE_HOLD (usu) -> (u)
SELECT id FROM workspace WHERE id = ? AND tenant_id = ? AND holder_id = ? LOCK IN SHARE MODE;
-- WORKSPACE_SERVICE_BOUND (ss) -> (i)
SELECT 1 FROM workspace WHERE tenant_id = ? AND llm_service_id = ? LIMIT 1;
-- WORKSPACE_READER_PURGE (u) -> ()
DELETE FROM workspace_reader WHERE row_id = ? LIMIT 1000;
-- WORKSPACE_VERSION_LIST (suiiui) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, CAST(NULL AS CHAR) FROM workspace_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- WORKSPACE_VERSION_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM workspace_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- WORKSPACE_VERSION_GET (usu) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, `prompt` FROM workspace_version WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- WORKSPACE_VERSION_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM workspace_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- WORKSPACE_VERSION_EXPORT (suui) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, `prompt` FROM workspace_version WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- WORKSPACE_VERSION_INSERT (usuiiiuIISSS) -> ()
INSERT INTO workspace_version (id, tenant_id, user_id, version, created_us, updated_us, parent_id, `number`, `bytes`, `name`, `description`, `prompt`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- WORKSPACE_VERSION_UPDATE (iusui) -> ()
UPDATE workspace_version SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ?;
-- WORKSPACE_VERSION_DELETE (usu) -> ()
DELETE FROM workspace_version WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- WORKSPACE_VERSION_DISOWN (su) -> ()
UPDATE workspace_version SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- WORKSPACE_VERSION_EXPIRE (i) -> ()
DELETE FROM workspace_version WHERE replaced_us < ? ORDER BY replaced_us LIMIT 1000;
-- WORKSPACE_VERSION_NEWEST (su) -> (uuii)
SELECT id, user_id, created_us, number FROM workspace_version WHERE tenant_id = ? AND parent_id = ? ORDER BY created_us DESC, id DESC LIMIT 1;
-- WORKSPACE_VERSION_MERGE (u) -> ()
DELETE FROM workspace_version WHERE id = ?;
-- WORKSPACE_VERSION_REPLACE (iu) -> ()
UPDATE workspace_version SET replaced_us = ? WHERE id = ?;
-- WORKSPACE_VERSION_BYTES (su) -> (i)
SELECT CAST(COALESCE(SUM(bytes), 0) AS SIGNED) FROM workspace_version WHERE tenant_id = ? AND user_id = ?;
-- WORKSPACE_VERSION_CUT (susuii) -> ()
DELETE FROM workspace_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= (SELECT MAX(created_us) FROM (SELECT created_us, ROW_NUMBER() OVER w AS n, SUM(bytes) OVER w AS total FROM workspace_version WHERE tenant_id = ? AND parent_id = ? WINDOW w AS (ORDER BY created_us DESC)) v WHERE n > 1 AND (n > ? OR total > ?));
-- WORKSPACE_VERSION_PURGE (u) -> ()
DELETE FROM workspace_version WHERE parent_id = ? LIMIT 1000;
-- WORKSPACE_SERVICE_LIST (sussui) -> (uiiiusSSSSBSSSSIIDDSIB)
SELECT id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY) FROM workspace_service WHERE tenant_id = ? AND parent_id = ? AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- WORKSPACE_SERVICE_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM workspace_service WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- WORKSPACE_SERVICE_GET (usu) -> (uiiiusSSSSBSSSSIIDDSIB)
SELECT id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY) FROM workspace_service WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- WORKSPACE_SERVICE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM workspace_service WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- WORKSPACE_SERVICE_EXPORT (suui) -> (uiiiusSSSSBSSSSIIDDSIB)
SELECT id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY) FROM workspace_service WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- WORKSPACE_SERVICE_INSERT (usuiiiusSSSSBSSSSIIDDSIB) -> ()
INSERT INTO workspace_service (id, tenant_id, user_id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- WORKSPACE_SERVICE_UPDATE (iSISISISISIBISISISIIIIIDIDISIIIBusui) -> ()
UPDATE workspace_service SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `provider` = IF(?, ?, `provider`), `model` = IF(?, ?, `model`), `url` = IF(?, ?, `url`), `api_key` = IF(?, ?, `api_key`), `api_version` = IF(?, ?, `api_version`), `deployment` = IF(?, ?, `deployment`), `capabilities` = IF(?, ?, `capabilities`), `context_tokens` = IF(?, ?, `context_tokens`), `max_output_tokens` = IF(?, ?, `max_output_tokens`), `temperature` = IF(?, ?, `temperature`), `top_p` = IF(?, ?, `top_p`), `reasoning_effort` = IF(?, ?, `reasoning_effort`), `thinking_budget_tokens` = IF(?, ?, `thinking_budget_tokens`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ?;
-- WORKSPACE_SERVICE_DELETE (usu) -> ()
DELETE FROM workspace_service WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- WORKSPACE_SERVICE_DISOWN (su) -> ()
UPDATE workspace_service SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- WORKSPACE_SERVICE_FIND (sussssssssssui) -> (uiiiusSSSSBSSSSIIDDSIBB)
SELECT id, version, created_us, updated_us, parent_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS BINARY), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, CAST(NULL AS CHAR), `thinking_budget_tokens`, CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM workspace_service WHERE tenant_id = ? AND parent_id = ? AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- WORKSPACE_SERVICE_FOUND (ssu) -> (uiiiusSSSSBSSSSIIDDSIB)
SELECT id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN workspace_service ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ?;
-- WORKSPACE_SERVICE_UNFOLDED (ui) -> (uiiiusSSSSBSSSSIIDDSIB)
SELECT id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY) FROM workspace_service WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- WORKSPACE_SERVICE_FOLD (Bu) -> ()
UPDATE workspace_service SET folded = ? WHERE id = ? AND folded IS NULL;
-- WORKSPACE_SERVICE_KEY_STALE (Bui) -> (usB)
SELECT id, tenant_id, api_key FROM workspace_service WHERE api_key IS NOT NULL AND LEFT(api_key, 9) <> ? AND id > ? ORDER BY id LIMIT ?;
-- WORKSPACE_SERVICE_KEY_RESEAL (BuB) -> ()
UPDATE workspace_service SET api_key = ? WHERE id = ? AND api_key = ?;
-- WORKSPACE_SERVICE_PURGE (u) -> ()
DELETE FROM workspace_service WHERE parent_id = ? LIMIT 100;
-- AGENT_LIST (suuuuiiui) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM agent WHERE tenant_id = ? AND parent_id = ? AND holder_id IN (?, ?) AND NOT (holder_id = parent_id AND EXISTS (SELECT 1 FROM agent o WHERE o.parent_id = agent.parent_id AND o.holder_id = ? AND o.agent_id = agent.agent_id)) AND created_us >= ? AND (created_us > ? OR id > ?) ORDER BY created_us, id LIMIT ?;
-- AGENT_TOTAL (suuuui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM agent WHERE tenant_id = ? AND parent_id = ? AND holder_id IN (?, ?) AND NOT (holder_id = parent_id AND EXISTS (SELECT 1 FROM agent o WHERE o.parent_id = agent.parent_id AND o.holder_id = ? AND o.agent_id = agent.agent_id)) LIMIT ?) c;
-- AGENT_GET (usuuu) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM agent WHERE id = ? AND tenant_id = ? AND parent_id = ? AND holder_id IN (?, ?);
-- AGENT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM agent WHERE tenant_id = ? AND holder_id = ? LIMIT ?) c;
-- AGENT_EXPORT (suui) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM agent WHERE tenant_id = ? AND holder_id = ? AND id > ? ORDER BY id LIMIT ?;
-- AGENT_INSERT (usuiiiuuSSSSSSSSSIISIDISIUSB) -> ()
INSERT INTO agent (id, tenant_id, user_id, version, created_us, updated_us, parent_id, holder_id, `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- AGENT_UPDATE (iISISISISISISIIIIISIIIDIIISIIIUISIBusui) -> ()
UPDATE agent SET version = version + 1, updated_us = ?, `name` = IF(?, ?, `name`), `description` = IF(?, ?, `description`), `system_prompt` = IF(?, ?, `system_prompt`), `user_prompt` = IF(?, ?, `user_prompt`), `llm_service_id` = IF(?, ?, `llm_service_id`), `tools` = IF(?, ?, `tools`), `max_tool_iterations` = IF(?, ?, `max_tool_iterations`), `rag_enabled` = IF(?, ?, `rag_enabled`), `knowledge_base_ids` = IF(?, ?, `knowledge_base_ids`), `rag_max_results` = IF(?, ?, `rag_max_results`), `rag_min_score` = IF(?, ?, `rag_min_score`), `rerank_enabled` = IF(?, ?, `rerank_enabled`), `reranking_service_id` = IF(?, ?, `reranking_service_id`), `rerank_max_results` = IF(?, ?, `rerank_max_results`), `author_id` = IF(?, ?, `author_id`), `author` = IF(?, ?, `author`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND holder_id = ? AND version = ?;
-- AGENT_DELETE (usu) -> ()
DELETE FROM agent WHERE id = ? AND tenant_id = ? AND holder_id = ?;
-- AGENT_DISOWN (su) -> ()
UPDATE agent SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- AGENT_NAMED (suuuSS) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM agent WHERE tenant_id = ? AND parent_id = ? AND holder_id IN (?, ?) AND agent_id IN (?, ?);
-- AGENT_FIND (suuuussssssssiiui) -> (uiiiusSSSSSSSSSIISIDISIUSBB)
SELECT id, version, created_us, updated_us, holder_id, '', CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `max_tool_iterations`, `rag_enabled`, CAST(NULL AS CHAR), `rag_max_results`, `rag_min_score`, `rerank_enabled`, CAST(NULL AS CHAR), `rerank_max_results`, `author_id`, CAST(NULL AS CHAR), CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM agent WHERE tenant_id = ? AND parent_id = ? AND holder_id IN (?, ?) AND NOT (holder_id = parent_id AND EXISTS (SELECT 1 FROM agent o WHERE o.parent_id = agent.parent_id AND o.holder_id = ? AND o.agent_id = agent.agent_id)) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us >= ? AND (created_us > ? OR id > ?) ORDER BY created_us, id LIMIT ?;
-- AGENT_FOUND (ssuuuu) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN agent ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND holder_id IN (?, ?) AND NOT (holder_id = parent_id AND EXISTS (SELECT 1 FROM agent o WHERE o.parent_id = agent.parent_id AND o.holder_id = ? AND o.agent_id = agent.agent_id));
-- AGENT_UNFOLDED (ui) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM agent WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- AGENT_FOLD (Bu) -> ()
UPDATE agent SET folded = ? WHERE id = ? AND folded IS NULL;
-- VERSION_OF_AGENT_PURGE (u) -> ()
DELETE FROM agent_version WHERE parent_id = ?;
-- AGENT_IDS (u) -> (u)
SELECT id FROM agent WHERE parent_id = ? ORDER BY id LIMIT 100;
-- AGENT_PURGE (u) -> ()
DELETE FROM agent WHERE id = ?;
-- AGENT_SERVICE_BOUND (ss) -> (i)
SELECT 1 FROM agent WHERE tenant_id = ? AND llm_service_id = ? LIMIT 1;
-- AGENT_RERANKING_BOUND (ss) -> (i)
SELECT 1 FROM agent WHERE tenant_id = ? AND reranking_service_id = ? LIMIT 1;
-- AGENT_HOLD (usu) -> (u)
SELECT id FROM agent WHERE id = ? AND tenant_id = ? AND holder_id = ? LOCK IN SHARE MODE;
-- AGENT_VERSION_LIST (suiiui) -> (uiiiusISISSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM agent_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- AGENT_VERSION_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM agent_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- AGENT_VERSION_GET (usu) -> (uiiiusISISSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, `system_prompt`, `user_prompt` FROM agent_version WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- AGENT_VERSION_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM agent_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- AGENT_VERSION_EXPORT (suui) -> (uiiiusISISSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `name`, `description`, `system_prompt`, `user_prompt` FROM agent_version WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- AGENT_VERSION_INSERT (usuiiiuIISSSS) -> ()
INSERT INTO agent_version (id, tenant_id, user_id, version, created_us, updated_us, parent_id, `number`, `bytes`, `name`, `description`, `system_prompt`, `user_prompt`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- AGENT_VERSION_UPDATE (iusui) -> ()
UPDATE agent_version SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ?;
-- AGENT_VERSION_DELETE (usu) -> ()
DELETE FROM agent_version WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- AGENT_VERSION_DISOWN (su) -> ()
UPDATE agent_version SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- AGENT_VERSION_EXPIRE (i) -> ()
DELETE FROM agent_version WHERE replaced_us < ? ORDER BY replaced_us LIMIT 1000;
-- AGENT_VERSION_NEWEST (su) -> (uuii)
SELECT id, user_id, created_us, number FROM agent_version WHERE tenant_id = ? AND parent_id = ? ORDER BY created_us DESC, id DESC LIMIT 1;
-- AGENT_VERSION_MERGE (u) -> ()
DELETE FROM agent_version WHERE id = ?;
-- AGENT_VERSION_REPLACE (iu) -> ()
UPDATE agent_version SET replaced_us = ? WHERE id = ?;
-- AGENT_VERSION_BYTES (su) -> (i)
SELECT CAST(COALESCE(SUM(bytes), 0) AS SIGNED) FROM agent_version WHERE tenant_id = ? AND user_id = ?;
-- AGENT_VERSION_CUT (susuii) -> ()
DELETE FROM agent_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= (SELECT MAX(created_us) FROM (SELECT created_us, ROW_NUMBER() OVER w AS n, SUM(bytes) OVER w AS total FROM agent_version WHERE tenant_id = ? AND parent_id = ? WINDOW w AS (ORDER BY created_us DESC)) v WHERE n > 1 AND (n > ? OR total > ?));
-- AGENT_VERSION_PURGE (u) -> ()
DELETE FROM agent_version WHERE parent_id = ? LIMIT 1000;
-- BASE_EMBEDDING_BOUND (ss) -> (i)
SELECT 1 FROM knowledge_base WHERE tenant_id = ? AND embedding_service_id = ? LIMIT 1;
-- KNOWLEDGE_BASE_LIST (sussuisussuisussuisussuisussuisussuisussuisussuii) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM ((SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) ORDER BY k, r LIMIT ?) seen JOIN knowledge_base ON id = r ORDER BY k, r;
-- KNOWLEDGE_BASE_TOTAL (ssi) -> (i)
SELECT COUNT(*) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN knowledge_base_reader ON tenant_id = ? AND reader_id = UNHEX(x) LIMIT ?) c;
-- KNOWLEDGE_BASE_GET (uss) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM knowledge_base WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN knowledge_base_reader s ON s.row_id = knowledge_base.id AND s.reader_id = UNHEX(x));
-- KNOWLEDGE_BASE_SET (sss) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN knowledge_base ON knowledge_base.id = UNHEX(i.y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN knowledge_base_reader s ON s.row_id = knowledge_base.id AND s.reader_id = UNHEX(x));
-- KNOWLEDGE_BASE_ROLES (ss) -> (uI)
SELECT s.row_id, CAST(MAX(IF(s.role > m, 1, s.role)) AS SIGNED) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN knowledge_base_reader s ON s.row_id = UNHEX(i.y) AND s.reader_id = UNHEX(x) GROUP BY s.row_id;
-- KNOWLEDGE_BASE_READER (suusi) -> ()
INSERT INTO knowledge_base_reader (tenant_id, reader_id, row_id, sort_key, role) VALUES (?, ?, ?, ?, ?);
-- KNOWLEDGE_BASE_UNREAD (suu) -> ()
DELETE FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? AND row_id = ?;
-- KNOWLEDGE_BASE_RENAME (ssu) -> ()
UPDATE knowledge_base_reader SET sort_key = ? WHERE tenant_id = ? AND row_id = ?;
-- KNOWLEDGE_BASE_ANNOUNCE (usuiiisussiUUuu) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM knowledge_base_reader s WHERE s.row_id = ?), ?));
-- KNOWLEDGE_BASE_ANNOUNCELAST (usuiiisussiUUuu) -> ()
BEGIN NOT ATOMIC INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM knowledge_base_reader s WHERE s.row_id = ?), ?)); COMMIT; END;
-- KNOWLEDGE_BASE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM knowledge_base WHERE tenant_id = ? AND holder_id = ? LIMIT ?) c;
-- KNOWLEDGE_BASE_EXPORT (suui) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM knowledge_base WHERE tenant_id = ? AND holder_id = ? AND id > ? ORDER BY id LIMIT ?;
-- KNOWLEDGE_BASE_INSERT (usuiiiusSSSSSSISB) -> ()
INSERT INTO knowledge_base (id, tenant_id, user_id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- KNOWLEDGE_BASE_UPDATE (iSISISIIISIBusui) -> ()
UPDATE knowledge_base SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `description` = IF(?, ?, `description`), `paused` = IF(?, ?, `paused`), `embedding_service_id` = IF(?, ?, `embedding_service_id`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND holder_id = ? AND version = ?;
-- KNOWLEDGE_BASE_DELETE (usu) -> ()
DELETE FROM knowledge_base WHERE id = ? AND tenant_id = ? AND holder_id = ?;
-- KNOWLEDGE_BASE_DISOWN (su) -> ()
UPDATE knowledge_base SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- KNOWLEDGE_BASE_ERASE (su) -> ()
DELETE FROM knowledge_base_reader WHERE tenant_id = ? AND reader_id = ? LIMIT 1000;
-- KNOWLEDGE_BASE_FIND (ssssssssssssui) -> (uiiiusSSSSSSISBB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `paused`, CAST(NULL AS CHAR), CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN knowledge_base_reader ON tenant_id = ? AND reader_id = UNHEX(x)) seen STRAIGHT_JOIN knowledge_base ON id = seen.row_id WHERE TRUE AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- KNOWLEDGE_BASE_FOUND (sss) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN knowledge_base ON id = UNHEX(y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN knowledge_base_reader s ON s.row_id = knowledge_base.id AND s.reader_id = UNHEX(x));
-- KNOWLEDGE_BASE_UNFOLDED (ui) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM knowledge_base WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- KNOWLEDGE_BASE_FOLD (Bu) -> ()
UPDATE knowledge_base SET folded = ? WHERE id = ? AND folded IS NULL;
-- KNOWLEDGE_BASE_HOLD (usu) -> (u)
SELECT id FROM knowledge_base WHERE id = ? AND tenant_id = ? AND holder_id = ? LOCK IN SHARE MODE;
-- KNOWLEDGE_BASE_READER_PURGE (u) -> ()
DELETE FROM knowledge_base_reader WHERE row_id = ? LIMIT 1000;
-- KNOWLEDGE_BASE_SHARE_LIST (suiiui) -> (uiiiusS)
SELECT id, version, created_us, updated_us, parent_id, '', `group_name` FROM knowledge_base_share WHERE tenant_id = ? AND parent_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- KNOWLEDGE_BASE_SHARE_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM knowledge_base_share WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- KNOWLEDGE_BASE_SHARE_GET (usu) -> (uiiiusS)
SELECT id, version, created_us, updated_us, parent_id, '', `group_name` FROM knowledge_base_share WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- KNOWLEDGE_BASE_SHARE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM knowledge_base_share WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- KNOWLEDGE_BASE_SHARE_EXPORT (suui) -> (uiiiusS)
SELECT id, version, created_us, updated_us, parent_id, '', `group_name` FROM knowledge_base_share WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- KNOWLEDGE_BASE_SHARE_INSERT (usuiiiuS) -> ()
INSERT INTO knowledge_base_share (id, tenant_id, user_id, version, created_us, updated_us, parent_id, `group_name`) VALUES (?, ?, ?, ?, ?, ?, ?, ?);
-- KNOWLEDGE_BASE_SHARE_UPDATE (iusui) -> ()
UPDATE knowledge_base_share SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ?;
-- KNOWLEDGE_BASE_SHARE_DELETE (usu) -> ()
DELETE FROM knowledge_base_share WHERE id = ? AND tenant_id = ? AND parent_id = ?;
-- KNOWLEDGE_BASE_SHARE_DISOWN (su) -> ()
UPDATE knowledge_base_share SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- KNOWLEDGE_BASE_SHARE_PURGE (u) -> ()
DELETE FROM knowledge_base_share WHERE parent_id = ? LIMIT 1000;
-- SEARCH_BASE_HOLD (us) -> (u)
SELECT id FROM search_base WHERE id = ? AND tenant_id = ? LOCK IN SHARE MODE;
-- SOURCE_OF_BASE_PURGE (u) -> ()
DELETE FROM turn_source WHERE base_id = ? LIMIT 200;
-- KNOWLEDGE_SOURCE_PURGE (u) -> ()
DELETE FROM knowledge_source WHERE base_id = ? LIMIT 200;
-- KNOWLEDGE_SOURCE_ITEM_PURGE (u) -> ()
DELETE FROM knowledge_source_item WHERE base_id = ? LIMIT 1000;
-- KNOWLEDGE_SOURCE_PAGE_PURGE (u) -> ()
DELETE FROM knowledge_source_page WHERE base_id = ? LIMIT 1000;
-- DOCUMENT_TEXT_PURGE (u) -> ()
DELETE FROM document_text WHERE base_id = ? LIMIT 20;
-- DOCUMENT_PURGE (u) -> ()
DELETE FROM document WHERE base_id = ? LIMIT 1000;
-- SEARCH_CHUNK_PURGE (u) -> ()
DELETE FROM search_chunk WHERE base_id = ? LIMIT 1000;
-- SEARCH_HEADING_PURGE (u) -> ()
DELETE FROM search_heading WHERE base_id = ? LIMIT 1000;
-- SEARCH_POST_PURGE (u) -> ()
DELETE FROM search_post WHERE base_id = ? LIMIT 1000;
-- SEARCH_VECTOR_PURGE (u) -> ()
DELETE FROM search_vector WHERE base_id = ? LIMIT 500;
-- SEARCH_BITS_PURGE (u) -> ()
DELETE FROM search_bits WHERE base_id = ? LIMIT 20;
-- SEARCH_DOCUMENT_PURGE (u) -> ()
DELETE FROM search_document WHERE base_id = ? LIMIT 200;
-- SEARCH_AUDIENCE_PURGE (u) -> ()
DELETE FROM search_audience WHERE base_id = ? LIMIT 1000;
-- ATTACHMENT_LIST (suiiui) -> (uiiiusSSISIISI)
SELECT id, version, created_us, updated_us, user_id, '', `name`, `media_type`, `size`, `state`, `pages`, `text_chars`, `problem`, `expires_us` FROM attachment WHERE tenant_id = ? AND user_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- ATTACHMENT_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM attachment WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- ATTACHMENT_GET (usu) -> (uiiiusSSISIISI)
SELECT id, version, created_us, updated_us, user_id, '', `name`, `media_type`, `size`, `state`, `pages`, `text_chars`, `problem`, `expires_us` FROM attachment WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- ATTACHMENT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM attachment WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- ATTACHMENT_EXPORT (suui) -> (uiiiusSSISIISI)
SELECT id, version, created_us, updated_us, user_id, '', `name`, `media_type`, `size`, `state`, `pages`, `text_chars`, `problem`, `expires_us` FROM attachment WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- ATTACHMENT_INSERT (usuiiiSSISIISI) -> ()
INSERT INTO attachment (id, tenant_id, user_id, version, created_us, updated_us, `name`, `media_type`, `size`, `state`, `pages`, `text_chars`, `problem`, `expires_us`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- ATTACHMENT_UPDATE (iusui) -> ()
UPDATE attachment SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- ATTACHMENT_DELETE (usu) -> ()
DELETE FROM attachment WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PROJECT_LIST (sussuisussuisussuisussuisussuisussuisussuisussuii) -> (uiiiusSSSSSSSSSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, CAST(NULL AS BINARY) FROM ((SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) UNION (SELECT sort_key AS k, row_id AS r FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND sort_key >= ? AND (sort_key > ? OR row_id > ?) ORDER BY sort_key, row_id LIMIT ?) ORDER BY k, r LIMIT ?) seen JOIN project ON id = r ORDER BY k, r;
-- PROJECT_TOTAL (ssi) -> (i)
SELECT COUNT(*) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader ON tenant_id = ? AND reader_id = UNHEX(x) LIMIT ?) c;
-- PROJECT_GET (uss) -> (uiiiusSSSSSSSSSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, CAST(NULL AS BINARY) FROM project WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project.id AND s.reader_id = UNHEX(x));
-- PROJECT_SET (sss) -> (uiiiusSSSSSSSSSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN project ON project.id = UNHEX(i.y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project.id AND s.reader_id = UNHEX(x));
-- PROJECT_ROLES (ss) -> (uI)
SELECT s.row_id, CAST(MAX(IF(s.role > m, 1, s.role)) AS SIGNED) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = UNHEX(i.y) AND s.reader_id = UNHEX(x) GROUP BY s.row_id;
-- PROJECT_READER (suusi) -> ()
INSERT INTO project_reader (tenant_id, reader_id, row_id, sort_key, role) VALUES (?, ?, ?, ?, ?);
-- PROJECT_UNREAD (suu) -> ()
DELETE FROM project_reader WHERE tenant_id = ? AND reader_id = ? AND row_id = ?;
-- PROJECT_RENAME (ssu) -> ()
UPDATE project_reader SET sort_key = ? WHERE tenant_id = ? AND row_id = ?;
-- PROJECT_ANNOUNCE (usuiiisussiUUuu) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM project_reader s WHERE s.row_id = ?), ?));
-- PROJECT_ANNOUNCELAST (usuiiisussiUUuu) -> ()
BEGIN NOT ATOMIC INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, COALESCE((SELECT GROUP_CONCAT(s.reader_id SEPARATOR '') FROM project_reader s WHERE s.row_id = ?), ?)); COMMIT; END;
-- PROJECT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM project WHERE tenant_id = ? AND holder_id = ? AND deleted_us IS NULL LIMIT ?) c;
-- PROJECT_EXPORT (suui) -> (uiiiusSSSSSSSSSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, CAST(NULL AS BINARY) FROM project WHERE tenant_id = ? AND holder_id = ? AND deleted_us IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_INSERT (usuiiiusSSSSSSSSSB) -> ()
INSERT INTO project (id, tenant_id, user_id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PROJECT_UPDATE (iSISISISISISISISIBusui) -> ()
UPDATE project SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `start_date` = IF(?, ?, `start_date`), `due_date` = IF(?, ?, `due_date`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND holder_id = ? AND version = ? AND deleted_us IS NULL;
-- PROJECT_DELETE (iusu) -> ()
UPDATE project SET deleted_us = ? WHERE id = ? AND tenant_id = ? AND holder_id = ? AND deleted_us IS NULL;
-- PROJECT_DISOWN (su) -> ()
UPDATE project SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROJECT_ERASE (su) -> ()
DELETE FROM project_reader WHERE tenant_id = ? AND reader_id = ? LIMIT 1000;
-- PROJECT_FIND (ssssssssssssui) -> (uiiiusSSSSSSSSSBB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `start_date`, `due_date`, `props`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader ON tenant_id = ? AND reader_id = UNHEX(x)) seen STRAIGHT_JOIN project ON id = seen.row_id WHERE TRUE AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- PROJECT_FOUND (sss) -> (uiiiusSSSSSSSSSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN project ON id = UNHEX(y) WHERE tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project.id AND s.reader_id = UNHEX(x));
-- PROJECT_UNFOLDED (ui) -> (uiiiusSSSSSSSSSB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `type_key`, `state_key`, `start_date`, `due_date`, `props`, `tier`, `team`, CAST(NULL AS BINARY) FROM project WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_FOLD (Bu) -> ()
UPDATE project SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_BINPUT (u) -> ()
INSERT INTO project_bin (tenant_id, reader_id, row_id, sort_key, role) SELECT tenant_id, reader_id, row_id, sort_key, role FROM project_reader WHERE row_id = ?;
-- PROJECT_BINCLEAR (u) -> ()
DELETE FROM project_reader WHERE row_id = ?;
-- PROJECT_BINLIST (ssi) -> (uusi)
SELECT DISTINCT b.id, b.holder_id, b.name, COALESCE(b.deleted_us, 0) AS deleted_us FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_bin s ON s.tenant_id = ? AND s.reader_id = UNHEX(x) AND s.role = 3 AND m = 3 STRAIGHT_JOIN project b ON b.id = s.row_id AND b.deleted_us IS NOT NULL ORDER BY deleted_us DESC, b.id LIMIT ?;
-- PROJECT_BINONE (ssu) -> (uusi)
SELECT b.id, b.holder_id, b.name, COALESCE(b.deleted_us, 0) AS deleted_us FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_bin s ON s.tenant_id = ? AND s.reader_id = UNHEX(x) AND s.role = 3 AND m = 3 STRAIGHT_JOIN project b ON b.id = s.row_id AND b.deleted_us IS NOT NULL WHERE b.id = ? LIMIT 1;
-- PROJECT_BINHELD (su) -> (uusi)
SELECT b.id, b.holder_id, b.name, COALESCE(b.deleted_us, 0) AS deleted_us FROM project b WHERE b.tenant_id = ? AND b.holder_id = ? AND b.deleted_us IS NOT NULL ORDER BY b.id LIMIT 100;
-- PROJECT_BINAGE (u) -> (i)
SELECT COALESCE(deleted_us, 0) FROM project WHERE id = ? AND deleted_us IS NOT NULL;
-- PROJECT_BINTAKE (iu) -> ()
UPDATE project SET deleted_us = NULL, version = version + 1, updated_us = ? WHERE id = ? AND deleted_us IS NOT NULL;
-- PROJECT_BINREAD (u) -> ()
INSERT INTO project_reader (tenant_id, reader_id, row_id, sort_key, role) SELECT tenant_id, reader_id, row_id, sort_key, role FROM project_bin WHERE row_id = ?;
-- PROJECT_BINEMPTY (u) -> ()
DELETE FROM project_bin WHERE row_id = ?;
-- PROJECT_BINDROP (ui) -> ()
DELETE FROM project WHERE id = ? AND deleted_us <= ?;
-- PROJECT_AT (usi) -> ()
UPDATE project SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_HOLD (usu) -> (u)
SELECT id FROM project WHERE id = ? AND tenant_id = ? AND holder_id = ? LOCK IN SHARE MODE;
-- PROJECT_READER_PURGE (u) -> ()
DELETE FROM project_reader WHERE row_id = ? LIMIT 1000;
-- PROJECT_BIN_PURGE (u) -> ()
DELETE FROM project_bin WHERE row_id = ? LIMIT 1000;
-- PROJECT_MEMBER_LIST (susiiui) -> (uiiiusSSSU)
SELECT id, version, created_us, updated_us, parent_id, '', (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `role`, `reader_id` FROM project_member WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_member.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = project_member.parent_id) AND created_us >= ? AND (created_us > ? OR id > ?) ORDER BY created_us, id LIMIT ?;
-- PROJECT_MEMBER_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM project_member WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_member.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = project_member.parent_id) LIMIT ?) c;
-- PROJECT_MEMBER_GET (uss) -> (uiiiusSSSU)
SELECT id, version, created_us, updated_us, parent_id, '', (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `role`, `reader_id` FROM project_member WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_member.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = project_member.parent_id);
-- PROJECT_MEMBER_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM project_member WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROJECT_MEMBER_EXPORT (suui) -> (uiiiusSSSU)
SELECT id, version, created_us, updated_us, parent_id, '', (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `role`, `reader_id` FROM project_member WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_MEMBER_INSERT (usuiiiUSSUuss) -> ()
INSERT INTO project_member (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `member_id`, `group_name`, `role`, `reader_id`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_MEMBER_UPDATE (iISusuis) -> ()
UPDATE project_member SET version = version + 1, updated_us = ?, `role` = IF(?, ?, `role`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_member.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_MEMBER_DELETE (usus) -> ()
DELETE FROM project_member WHERE id = ? AND tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_member.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_MEMBER_PURGEBELOW (u) -> ()
DELETE FROM project_member WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_MEMBER_PURGETOP (u) -> ()
DELETE FROM project_member WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_MEMBER_DISOWN (su) -> ()
UPDATE project_member SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROJECT_CHANGE_LIST (susiiui) -> (uiiiusSUSSISUUISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`, (SELECT u.login FROM user u WHERE u.id = user_id), CAST(NULL AS CHAR) FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND EXISTS (SELECT 1 FROM project p WHERE p.id = resource_change.parent_id) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_CHANGE_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND EXISTS (SELECT 1 FROM project p WHERE p.id = resource_change.parent_id) LIMIT ?) c;
-- PROJECT_CHANGE_GET (uss) -> (uiiiusSUSSISUUISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`, (SELECT u.login FROM user u WHERE u.id = user_id), CAST(NULL AS CHAR) FROM resource_change WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND EXISTS (SELECT 1 FROM project p WHERE p.id = resource_change.parent_id);
-- PROJECT_CHANGE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM resource_change WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROJECT_CHANGE_EXPORT (suui) -> (uiiiusSUSSISUUISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`, (SELECT u.login FROM user u WHERE u.id = user_id), CAST(NULL AS CHAR) FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_CHANGE_INSERT (usuiiiSUSSISUUIuss) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_CHANGE_UPDATE (iusuis) -> ()
UPDATE resource_change SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_CHANGE_DELETE (usus) -> ()
DELETE FROM resource_change WHERE id = ? AND tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_CHANGE_PURGEBELOW (u) -> ()
DELETE FROM resource_change WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_CHANGE_PURGETOP (u) -> ()
DELETE FROM resource_change WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_CHANGE_DISOWN (su) -> ()
UPDATE resource_change SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROJECT_CHANGE_EXPIRE (i) -> ()
DELETE FROM resource_change WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- PROJECT_CHANGE_ADD (usuiiuusussisUUUiS) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, kind, row_id, title, verb, number, fields, turn_id, conversation_id, undoes, can_undo, before_json) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE version = 0;
-- PROJECT_CHANGE_ADDLAST (usuiiuusussisUUUiS) -> ()
BEGIN NOT ATOMIC INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, kind, row_id, title, verb, number, fields, turn_id, conversation_id, undoes, can_undo, before_json) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE version = 0; COMMIT; END;
-- PROJECT_CHANGE_UNDONE (us) -> ()
UPDATE resource_change SET can_undo = 0 WHERE id = ? AND tenant_id = ?;
-- PROJECT_CHANGE_BYTES (su) -> (i)
SELECT CAST(COALESCE(SUM(bytes), 0) AS SIGNED) FROM resource_change WHERE tenant_id = ? AND user_id = ?;
-- PROJECT_CHANGE_BEFORE (us) -> (S)
SELECT before_json FROM resource_change WHERE id = ? AND tenant_id = ?;
-- PROJECT_CHANGE_LISTED (susiSiUiUiSiIiiui) -> (uiiiusSUSSISUUISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`, (SELECT u.login FROM user u WHERE u.id = user_id), CAST(NULL AS CHAR) FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND ? <> (NOT FIND_IN_SET(COALESCE(`kind`, ''), COALESCE(?, ''))) AND (? OR `row_id` = ?) AND (? OR `turn_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`verb`, ''), COALESCE(?, ''))) AND (? OR `can_undo` = ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_CHANGE_LISTEDTOTAL (susiSiUiUiSiIi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND ? <> (NOT FIND_IN_SET(COALESCE(`kind`, ''), COALESCE(?, ''))) AND (? OR `row_id` = ?) AND (? OR `turn_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`verb`, ''), COALESCE(?, ''))) AND (? OR `can_undo` = ?) LIMIT ?) c;
-- PROJECT_CHANGE_UP_created_us (susiSiUiUiSiIIIui) -> (uiiiusSUSSISUUISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`, (SELECT u.login FROM user u WHERE u.id = user_id), CAST(NULL AS CHAR) FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND ? <> (NOT FIND_IN_SET(COALESCE(`kind`, ''), COALESCE(?, ''))) AND (? OR `row_id` = ?) AND (? OR `turn_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`verb`, ''), COALESCE(?, ''))) AND (? OR `can_undo` = ?) AND `created_us` >= ? AND (`created_us` > ? OR id > ?) ORDER BY `created_us`, id LIMIT ?;
-- PROJECT_CHANGE_DOWN_created_us (susiSiUiUiSiIIIui) -> (uiiiusSUSSISUUISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `row_id`, `title`, `verb`, `number`, `fields`, `turn_id`, `undoes`, `can_undo`, (SELECT u.login FROM user u WHERE u.id = user_id), CAST(NULL AS CHAR) FROM resource_change WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = resource_change.top_id AND s.reader_id = UNHEX(x) AND (s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1) OR NOT resource_change.kind = 'event')) AND ? <> (NOT FIND_IN_SET(COALESCE(`kind`, ''), COALESCE(?, ''))) AND (? OR `row_id` = ?) AND (? OR `turn_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`verb`, ''), COALESCE(?, ''))) AND (? OR `can_undo` = ?) AND `created_us` <= ? AND (`created_us` < ? OR id < ?) ORDER BY `created_us` DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_LIST (susiiui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'document' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'document' LIMIT ?) c;
-- PROJECT_DOCUMENT_GET (uss) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, (SELECT t.text FROM entity_content t WHERE t.row_id = id), `content_length`, `content_bytes` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'document';
-- PROJECT_DOCUMENT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' LIMIT ?) c;
-- PROJECT_DOCUMENT_EXPORT (suui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, (SELECT t.text FROM entity_content t WHERE t.row_id = id), `content_length`, `content_bytes` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_DOCUMENT_INSERT (usuiiisSSSSUSBUIIuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `under_id`, `content_length`, `content_bytes`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_DOCUMENT_UPDATE (iISISISISIUISIBIIIIusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `content_length` = IF(?, ?, `content_length`), `content_bytes` = IF(?, ?, `content_bytes`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_DOCUMENT_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_DOCUMENT_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_DOCUMENT_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_DOCUMENT_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'document' LIMIT 10000;
-- PROJECT_DOCUMENT_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_DOCUMENT_LISTED (susiSiSiiui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_LISTEDTOTAL (susiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- PROJECT_DOCUMENT_UP_updated_us (susiSiSIIui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_DOCUMENT_DOWN_updated_us (susiSiSIIui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_FIND (susiSiSssssssssiiui) -> (uiiiussSSSSSSBUSIIB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes`, SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_FOUND (ssus) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_DOCUMENT_UNFOLDED (ui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM entity WHERE folded IS NULL AND `kind` = 'document' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_DOCUMENT_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_DOCUMENT_SLIM (susiSiSiiui) -> (uiiiussSSSSSSBUSII)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `under_id`, CAST(NULL AS CHAR), `content_length`, `content_bytes` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'document' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_TEXT_PURGE (u) -> ()
DELETE FROM entity_content WHERE row_id = ? LIMIT 100;
-- PROJECT_DOCUMENT_TEXT_PUT (su) -> ()
INSERT INTO entity_content (row_id, top_id, text) SELECT e.id, e.top_id, ? FROM entity e WHERE e.id = ? ON DUPLICATE KEY UPDATE text = VALUES(text);
-- PROJECT_DOCUMENT_TEXT_PURGETOP (u) -> ()
DELETE FROM entity_content WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 100;
-- PROJECT_DOCUMENT_HOLD (usu) -> (u)
SELECT id FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? LOCK IN SHARE MODE;
-- PROJECT_DOCUMENT_VERSION_LIST (susiiui) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `title`, `description`, CAST(NULL AS CHAR) FROM entity_version WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_version.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM entity p WHERE p.id = entity_version.parent_id) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_DOCUMENT_VERSION_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity_version WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_version.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM entity p WHERE p.id = entity_version.parent_id) LIMIT ?) c;
-- PROJECT_DOCUMENT_VERSION_GET (uss) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `title`, `description`, `entity_content` FROM entity_version WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_version.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM entity p WHERE p.id = entity_version.parent_id);
-- PROJECT_DOCUMENT_VERSION_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity_version WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROJECT_DOCUMENT_VERSION_EXPORT (suui) -> (uiiiusISISSS)
SELECT id, version, created_us, updated_us, parent_id, '', `number`, (SELECT u.login FROM user u WHERE u.id = user_id), `bytes`, `title`, `description`, `entity_content` FROM entity_version WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_DOCUMENT_VERSION_INSERT (usuiiiIISSSuss) -> ()
INSERT INTO entity_version (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `number`, `bytes`, `title`, `description`, `entity_content`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.top_id, ?, ?, ?, ?, ? FROM entity p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_DOCUMENT_VERSION_UPDATE (iusuis) -> ()
UPDATE entity_version SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_version.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_DOCUMENT_VERSION_DELETE (usus) -> ()
DELETE FROM entity_version WHERE id = ? AND tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_version.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_DOCUMENT_VERSION_PURGEBELOW (u) -> ()
DELETE FROM entity_version WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM entity p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_DOCUMENT_VERSION_PURGETOP (u) -> ()
DELETE FROM entity_version WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_DOCUMENT_VERSION_DISOWN (su) -> ()
UPDATE entity_version SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROJECT_DOCUMENT_VERSION_EXPIRE (i) -> ()
DELETE FROM entity_version WHERE replaced_us < ? ORDER BY replaced_us LIMIT 1000;
-- PROJECT_DOCUMENT_VERSION_NEWEST (su) -> (uuii)
SELECT id, user_id, created_us, number FROM entity_version WHERE tenant_id = ? AND parent_id = ? ORDER BY created_us DESC, id DESC LIMIT 1;
-- PROJECT_DOCUMENT_VERSION_MERGE (u) -> ()
DELETE FROM entity_version WHERE id = ?;
-- PROJECT_DOCUMENT_VERSION_REPLACE (iu) -> ()
UPDATE entity_version SET replaced_us = ? WHERE id = ?;
-- PROJECT_DOCUMENT_VERSION_BYTES (su) -> (i)
SELECT CAST(COALESCE(SUM(bytes), 0) AS SIGNED) FROM entity_version WHERE tenant_id = ? AND user_id = ?;
-- PROJECT_DOCUMENT_VERSION_CUT (susuii) -> ()
DELETE FROM entity_version WHERE tenant_id = ? AND parent_id = ? AND created_us <= (SELECT MAX(created_us) FROM (SELECT created_us, ROW_NUMBER() OVER w AS n, SUM(bytes) OVER w AS total FROM entity_version WHERE tenant_id = ? AND parent_id = ? WINDOW w AS (ORDER BY created_us DESC)) v WHERE n > 1 AND (n > ? OR total > ?));
-- PROJECT_EDGE_LIST (susiiui) -> (uiiiusUUS)
SELECT id, version, created_us, updated_us, parent_id, '', `from_id`, `to_id`, `relation` FROM entity_edge WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_edge.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity_edge.parent_id) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_EDGE_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity_edge WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_edge.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity_edge.parent_id) LIMIT ?) c;
-- PROJECT_EDGE_GET (uss) -> (uiiiusUUS)
SELECT id, version, created_us, updated_us, parent_id, '', `from_id`, `to_id`, `relation` FROM entity_edge WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_edge.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity_edge.parent_id);
-- PROJECT_EDGE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity_edge WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROJECT_EDGE_EXPORT (suui) -> (uiiiusUUS)
SELECT id, version, created_us, updated_us, parent_id, '', `from_id`, `to_id`, `relation` FROM entity_edge WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_EDGE_INSERT (usuiiiUUSuss) -> ()
INSERT INTO entity_edge (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `from_id`, `to_id`, `relation`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_EDGE_UPDATE (iusuis) -> ()
UPDATE entity_edge SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_edge.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_EDGE_DELETE (usus) -> ()
DELETE FROM entity_edge WHERE id = ? AND tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity_edge.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_EDGE_PURGEBELOW (u) -> ()
DELETE FROM entity_edge WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_EDGE_PURGETOP (u) -> ()
DELETE FROM entity_edge WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_EDGE_DISOWN (su) -> ()
UPDATE entity_edge SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROJECT_TASK_LIST (susiiui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'task' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_TASK_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'task' LIMIT ?) c;
-- PROJECT_TASK_GET (uss) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'task';
-- PROJECT_TASK_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' LIMIT ?) c;
-- PROJECT_TASK_EXPORT (suui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_TASK_INSERT (usuiiisSSSSUSBSSSSuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `priority`, `start_date`, `due_date`, `done_date`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_TASK_UPDATE (iISISISISIUISIBISISISISusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `priority` = IF(?, ?, `priority`), `start_date` = IF(?, ?, `start_date`), `due_date` = IF(?, ?, `due_date`), `done_date` = IF(?, ?, `done_date`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_TASK_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_TASK_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_TASK_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_TASK_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'task' LIMIT 10000;
-- PROJECT_TASK_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_TASK_LISTED (susiSiSiSiSiSiiui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_TASK_LISTEDTOTAL (susiSiSiSiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) LIMIT ?) c;
-- PROJECT_TASK_UP_updated_us (susiSiSiSiSiSIIui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_TASK_DOWN_updated_us (susiSiSiSiSiSIIui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_TASK_UP_due_date (susiSiSiSiSiSSSui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` >= ? AND (`due_date` > ? OR id > ?) ORDER BY `due_date`, id LIMIT ?;
-- PROJECT_TASK_DOWN_due_date (susiSiSiSiSiSSSui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` <= ? AND (`due_date` < ? OR id < ?) ORDER BY `due_date` DESC, id DESC LIMIT ?;
-- PROJECT_TASK_REST_due_date (susiSiSiSiSiSui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_TASK_FIND (susiSiSiSiSiSssssssssiiui) -> (uiiiussSSSSSSBSSSSB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), CAST(NULL AS CHAR), `start_date`, `due_date`, `done_date`, SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_TASK_FOUND (ssus) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_TASK_UNFOLDED (ui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `start_date`, `due_date`, `done_date` FROM entity WHERE folded IS NULL AND `kind` = 'task' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_TASK_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_TASK_SLIM (susiSiSiSiSiSiiui) -> (uiiiussSSSSSSBSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), CAST(NULL AS CHAR), `start_date`, `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'task' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_GOAL_LIST (susiiui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'goal' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_GOAL_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'goal' LIMIT ?) c;
-- PROJECT_GOAL_GET (uss) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'goal';
-- PROJECT_GOAL_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' LIMIT ?) c;
-- PROJECT_GOAL_EXPORT (suui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_GOAL_INSERT (usuiiisSSSSUSBSuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `due_date`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_GOAL_UPDATE (iISISISISIUISIBISusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `due_date` = IF(?, ?, `due_date`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_GOAL_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_GOAL_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_GOAL_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_GOAL_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'goal' LIMIT 10000;
-- PROJECT_GOAL_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_GOAL_LISTED (susiSiSiSiSiiui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_GOAL_LISTEDTOTAL (susiSiSiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) LIMIT ?) c;
-- PROJECT_GOAL_UP_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_GOAL_DOWN_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_GOAL_UP_due_date (susiSiSiSiSSSui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` >= ? AND (`due_date` > ? OR id > ?) ORDER BY `due_date`, id LIMIT ?;
-- PROJECT_GOAL_DOWN_due_date (susiSiSiSiSSSui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` <= ? AND (`due_date` < ? OR id < ?) ORDER BY `due_date` DESC, id DESC LIMIT ?;
-- PROJECT_GOAL_REST_due_date (susiSiSiSiSui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_GOAL_FIND (susiSiSiSiSssssssssiiui) -> (uiiiussSSSSSSBSB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `due_date`, SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_GOAL_FOUND (ssus) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_GOAL_UNFOLDED (ui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE folded IS NULL AND `kind` = 'goal' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_GOAL_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_GOAL_SLIM (susiSiSiSiSiiui) -> (uiiiussSSSSSSBS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'goal' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_PLAN_LIST (susiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'plan' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_PLAN_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'plan' LIMIT ?) c;
-- PROJECT_PLAN_GET (uss) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'plan';
-- PROJECT_PLAN_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' LIMIT ?) c;
-- PROJECT_PLAN_EXPORT (suui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_PLAN_INSERT (usuiiisSSSSUSBSSuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `start_date`, `due_date`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_PLAN_UPDATE (iISISISISIUISIBISISusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `start_date` = IF(?, ?, `start_date`), `due_date` = IF(?, ?, `due_date`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_PLAN_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_PLAN_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_PLAN_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_PLAN_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'plan' LIMIT 10000;
-- PROJECT_PLAN_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_PLAN_LISTED (susiSiSiSiSiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_PLAN_LISTEDTOTAL (susiSiSiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) LIMIT ?) c;
-- PROJECT_PLAN_UP_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_PLAN_DOWN_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_PLAN_UP_due_date (susiSiSiSiSSSui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` >= ? AND (`due_date` > ? OR id > ?) ORDER BY `due_date`, id LIMIT ?;
-- PROJECT_PLAN_DOWN_due_date (susiSiSiSiSSSui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` <= ? AND (`due_date` < ? OR id < ?) ORDER BY `due_date` DESC, id DESC LIMIT ?;
-- PROJECT_PLAN_REST_due_date (susiSiSiSiSui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_PLAN_FIND (susiSiSiSiSssssssssiiui) -> (uiiiussSSSSSSBSSB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `start_date`, `due_date`, SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_PLAN_FOUND (ssus) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_PLAN_UNFOLDED (ui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE folded IS NULL AND `kind` = 'plan' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_PLAN_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_PLAN_SLIM (susiSiSiSiSiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `start_date`, `due_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'plan' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_MILESTONE_LIST (susiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'milestone' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_MILESTONE_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'milestone' LIMIT ?) c;
-- PROJECT_MILESTONE_GET (uss) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'milestone';
-- PROJECT_MILESTONE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' LIMIT ?) c;
-- PROJECT_MILESTONE_EXPORT (suui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_MILESTONE_INSERT (usuiiisSSSSUSBSSuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `due_date`, `done_date`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_MILESTONE_UPDATE (iISISISISIUISIBISISusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `due_date` = IF(?, ?, `due_date`), `done_date` = IF(?, ?, `done_date`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_MILESTONE_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_MILESTONE_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_MILESTONE_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_MILESTONE_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'milestone' LIMIT 10000;
-- PROJECT_MILESTONE_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_MILESTONE_LISTED (susiSiSiSiSiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_MILESTONE_LISTEDTOTAL (susiSiSiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) LIMIT ?) c;
-- PROJECT_MILESTONE_UP_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_MILESTONE_DOWN_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_MILESTONE_UP_due_date (susiSiSiSiSSSui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` >= ? AND (`due_date` > ? OR id > ?) ORDER BY `due_date`, id LIMIT ?;
-- PROJECT_MILESTONE_DOWN_due_date (susiSiSiSiSSSui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` <= ? AND (`due_date` < ? OR id < ?) ORDER BY `due_date` DESC, id DESC LIMIT ?;
-- PROJECT_MILESTONE_REST_due_date (susiSiSiSiSui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND `due_date` IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_MILESTONE_FIND (susiSiSiSiSssssssssiiui) -> (uiiiussSSSSSSBSSB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `due_date`, `done_date`, SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_MILESTONE_FOUND (ssus) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_MILESTONE_UNFOLDED (ui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE folded IS NULL AND `kind` = 'milestone' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_MILESTONE_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_MILESTONE_SLIM (susiSiSiSiSiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), `due_date`, `done_date` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'milestone' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND (? OR `due_date` >= ?) AND (? OR `due_date` <= ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_RISK_LIST (susiiui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'risk' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_RISK_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'risk' LIMIT ?) c;
-- PROJECT_RISK_GET (uss) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'risk';
-- PROJECT_RISK_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' LIMIT ?) c;
-- PROJECT_RISK_EXPORT (suui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_RISK_INSERT (usuiiisSSSSUSBSSSuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `likelihood`, `impact`, `mitigation`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_RISK_UPDATE (iISISISISIUISIBISISISusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `likelihood` = IF(?, ?, `likelihood`), `impact` = IF(?, ?, `impact`), `mitigation` = IF(?, ?, `mitigation`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_RISK_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_RISK_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_RISK_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_RISK_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'risk' LIMIT 10000;
-- PROJECT_RISK_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_RISK_LISTED (susiSiSiSiSiiui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`likelihood`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`impact`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_RISK_LISTEDTOTAL (susiSiSiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`likelihood`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`impact`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- PROJECT_RISK_UP_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`likelihood`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`impact`, ''), COALESCE(?, ''))) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_RISK_DOWN_updated_us (susiSiSiSiSIIui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`likelihood`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`impact`, ''), COALESCE(?, ''))) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_RISK_FIND (susiSiSiSiSssssssssiiui) -> (uiiiussSSSSSSBSSSB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`likelihood`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`impact`, ''), COALESCE(?, ''))) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_RISK_FOUND (ssus) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_RISK_UNFOLDED (ui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `likelihood`, `impact`, `mitigation` FROM entity WHERE folded IS NULL AND `kind` = 'risk' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_RISK_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_RISK_SLIM (susiSiSiSiSiiui) -> (uiiiussSSSSSSBSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'risk' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`likelihood`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`impact`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_REQUIREMENT_LIST (susiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'requirement' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_REQUIREMENT_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'requirement' LIMIT ?) c;
-- PROJECT_REQUIREMENT_GET (uss) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = entity.parent_id) AND `kind` = 'requirement';
-- PROJECT_REQUIREMENT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' LIMIT ?) c;
-- PROJECT_REQUIREMENT_EXPORT (suui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_REQUIREMENT_INSERT (usuiiisSSSSUSBSSuss) -> ()
INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `type_key`, `state_key`, `owner_id`, `props`, `folded`, `priority`, `acceptance`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_REQUIREMENT_UPDATE (iISISISISIUISIBISISusuis) -> ()
UPDATE entity SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `owner_id` = IF(?, ?, `owner_id`), `props` = IF(?, ?, `props`), `folded` = IF(?, ?, `folded`), `priority` = IF(?, ?, `priority`), `acceptance` = IF(?, ?, `acceptance`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_REQUIREMENT_DELETE (usus) -> ()
DELETE FROM entity WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_REQUIREMENT_PURGEBELOW (u) -> ()
DELETE FROM entity WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_REQUIREMENT_PURGETOP (u) -> ()
DELETE FROM entity WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_REQUIREMENT_DISOWN (su) -> ()
UPDATE entity SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'requirement' LIMIT 10000;
-- PROJECT_REQUIREMENT_AT (usi) -> ()
UPDATE entity SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_REQUIREMENT_LISTED (susiSiSiSiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_REQUIREMENT_LISTEDTOTAL (susiSiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- PROJECT_REQUIREMENT_UP_updated_us (susiSiSiSIIui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_REQUIREMENT_DOWN_updated_us (susiSiSiSIIui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_REQUIREMENT_FIND (susiSiSiSssssssssiiui) -> (uiiiussSSSSSSBSSB)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), CAST(NULL AS CHAR), CAST(NULL AS CHAR), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_REQUIREMENT_FOUND (ssus) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN entity ON id = UNHEX(y) WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x));
-- PROJECT_REQUIREMENT_UNFOLDED (ui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `type_key`, `state_key`, (SELECT u.login FROM user u WHERE u.id = `owner_id`), `props`, CAST(NULL AS BINARY), `priority`, `acceptance` FROM entity WHERE folded IS NULL AND `kind` = 'requirement' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_REQUIREMENT_FOLD (Bu) -> ()
UPDATE entity SET folded = ? WHERE id = ? AND folded IS NULL;
-- PROJECT_REQUIREMENT_SLIM (susiSiSiSiiui) -> (uiiiussSSSSSSBSS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), CAST(NULL AS CHAR), `props`, CAST(NULL AS BINARY), CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM entity WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'requirement' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = entity.top_id AND s.reader_id = UNHEX(x)) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`priority`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- CALENDAR_EVENT_LIST (suiiui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- CALENDAR_EVENT_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' LIMIT ?) c;
-- CALENDAR_EVENT_GET (usu) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE id = ? AND tenant_id = ? AND user_id = ? AND `kind` = 'own';
-- CALENDAR_EVENT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' LIMIT ?) c;
-- CALENDAR_EVENT_EXPORT (suui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND id > ? ORDER BY id LIMIT ?;
-- CALENDAR_EVENT_INSERT (usuiiisSSSSSSSSSSUSIIIS) -> ()
INSERT INTO event (id, tenant_id, user_id, version, created_us, updated_us, `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- CALENDAR_EVENT_UPDATE (iISISISISISISISISISISIIIIIIusui) -> ()
UPDATE event SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `location` = IF(?, ?, `location`), `starts` = IF(?, ?, `starts`), `ends` = IF(?, ?, `ends`), `zone` = IF(?, ?, `zone`), `rrule` = IF(?, ?, `rrule`), `skipped` = IF(?, ?, `skipped`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `starts_us` = IF(?, ?, `starts_us`), `ends_us` = IF(?, ?, `ends_us`), `recurs_until` = IF(?, ?, `recurs_until`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ? AND `kind` = 'own';
-- CALENDAR_EVENT_DELETE (usu) -> ()
DELETE FROM event WHERE id = ? AND tenant_id = ? AND user_id = ? AND `kind` = 'own';
-- CALENDAR_EVENT_ERASE (su) -> ()
DELETE FROM event WHERE tenant_id = ? AND `kind` = 'own' AND user_id = ? LIMIT 1000;
-- CALENDAR_EVENT_AT (usi) -> ()
UPDATE event SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- CALENDAR_EVENT_LISTED (suiIiIiSiSiiui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- CALENDAR_EVENT_LISTEDTOTAL (suiIiIiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- CALENDAR_EVENT_UP_starts_us (suiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `starts_us` >= ? AND (`starts_us` > ? OR id > ?) ORDER BY `starts_us`, id LIMIT ?;
-- CALENDAR_EVENT_DOWN_starts_us (suiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `starts_us` <= ? AND (`starts_us` < ? OR id < ?) ORDER BY `starts_us` DESC, id DESC LIMIT ?;
-- CALENDAR_EVENT_REST_starts_us (suiIiIiSiSui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `starts_us` IS NULL AND id > ? ORDER BY id LIMIT ?;
-- CALENDAR_EVENT_UP_updated_us (suiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- CALENDAR_EVENT_DOWN_updated_us (suiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIIS)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid` FROM event WHERE tenant_id = ? AND user_id = ? AND `kind` = 'own' AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_EVENT_LIST (susiiui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = event.parent_id) AND `kind` = 'project' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_EVENT_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM event WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = event.parent_id) AND `kind` = 'project' LIMIT ?) c;
-- PROJECT_EVENT_GET (uss) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = event.parent_id) AND `kind` = 'project';
-- PROJECT_EVENT_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' LIMIT ?) c;
-- PROJECT_EVENT_EXPORT (suui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_EVENT_INSERT (usuiiisSSSSSSSSSSUSIIISuss) -> ()
INSERT INTO event (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1));
-- PROJECT_EVENT_UPDATE (iISISISISISISISISISISIIIIIIusuis) -> ()
UPDATE event SET version = version + 1, updated_us = ?, `title` = IF(?, ?, `title`), `description` = IF(?, ?, `description`), `location` = IF(?, ?, `location`), `starts` = IF(?, ?, `starts`), `ends` = IF(?, ?, `ends`), `zone` = IF(?, ?, `zone`), `rrule` = IF(?, ?, `rrule`), `skipped` = IF(?, ?, `skipped`), `type_key` = IF(?, ?, `type_key`), `state_key` = IF(?, ?, `state_key`), `starts_us` = IF(?, ?, `starts_us`), `ends_us` = IF(?, ?, `ends_us`), `recurs_until` = IF(?, ?, `recurs_until`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1));
-- PROJECT_EVENT_DELETE (usus) -> ()
DELETE FROM event WHERE id = ? AND tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1));
-- PROJECT_EVENT_PURGEBELOW (u) -> ()
DELETE FROM event WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_EVENT_PURGETOP (u) -> ()
DELETE FROM event WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_EVENT_DISOWN (su) -> ()
UPDATE event SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'project' LIMIT 10000;
-- PROJECT_EVENT_AT (usi) -> ()
UPDATE event SET version = version + 1 WHERE id = ? AND tenant_id = ? AND version = ?;
-- PROJECT_EVENT_LISTED (susiIiIiSiSiiui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PROJECT_EVENT_LISTEDTOTAL (susiIiIiSiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- PROJECT_EVENT_UP_starts_us (susiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `starts_us` >= ? AND (`starts_us` > ? OR id > ?) ORDER BY `starts_us`, id LIMIT ?;
-- PROJECT_EVENT_DOWN_starts_us (susiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `starts_us` <= ? AND (`starts_us` < ? OR id < ?) ORDER BY `starts_us` DESC, id DESC LIMIT ?;
-- PROJECT_EVENT_REST_starts_us (susiIiIiSiSui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `starts_us` IS NULL AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_EVENT_UP_updated_us (susiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PROJECT_EVENT_DOWN_updated_us (susiIiIiSiSIIui) -> (uiiiussSSSSSSSSSSUSIIISS)
SELECT id, version, created_us, updated_us, parent_id, '', `kind`, `title`, `description`, `location`, `starts`, `ends`, `zone`, `rrule`, `skipped`, `type_key`, `state_key`, `series_id`, `occurrence`, `starts_us`, `ends_us`, `recurs_until`, `uid`, CAST(NULL AS CHAR) FROM event WHERE tenant_id = ? AND parent_id = ? AND `kind` = 'project' AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = event.top_id AND s.reader_id = UNHEX(x) AND s.role >= COALESCE((SELECT FIELD(v.visibility, 'viewer', 'editor', 'owner') FROM project_calendar v WHERE v.top_id = s.row_id), 1)) AND (? OR `starts_us` >= ?) AND (? OR `starts_us` <= ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`type_key`, ''), COALESCE(?, ''))) AND ? <> (NOT FIND_IN_SET(COALESCE(`state_key`, ''), COALESCE(?, ''))) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- PROJECT_CALENDAR_LIST (susiiui) -> (uiiiusSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `name`, `colour`, `zone`, `visibility` FROM project_calendar WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_calendar.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = project_calendar.parent_id) AND created_us >= ? AND (created_us > ? OR id > ?) ORDER BY created_us, id LIMIT ?;
-- PROJECT_CALENDAR_TOTAL (susi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM project_calendar WHERE tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_calendar.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = project_calendar.parent_id) LIMIT ?) c;
-- PROJECT_CALENDAR_GET (uss) -> (uiiiusSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `name`, `colour`, `zone`, `visibility` FROM project_calendar WHERE id = ? AND tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_calendar.top_id AND s.reader_id = UNHEX(x)) AND EXISTS (SELECT 1 FROM project p WHERE p.id = project_calendar.parent_id);
-- PROJECT_CALENDAR_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM project_calendar WHERE tenant_id = ? AND parent_id = ? LIMIT ?) c;
-- PROJECT_CALENDAR_EXPORT (suui) -> (uiiiusSSSS)
SELECT id, version, created_us, updated_us, parent_id, '', `name`, `colour`, `zone`, `visibility` FROM project_calendar WHERE tenant_id = ? AND parent_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PROJECT_CALENDAR_INSERT (usuiiiSSSSuss) -> ()
INSERT INTO project_calendar (id, tenant_id, user_id, version, created_us, updated_us, parent_id, top_id, `name`, `colour`, `zone`, `visibility`) SELECT ?, ?, ?, ?, ?, ?, p.id, p.id, ?, ?, ?, ? FROM project p WHERE p.id = ? AND p.tenant_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = p.id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_CALENDAR_UPDATE (iISISISISusuis) -> ()
UPDATE project_calendar SET version = version + 1, updated_us = ?, `name` = IF(?, ?, `name`), `colour` = IF(?, ?, `colour`), `zone` = IF(?, ?, `zone`), `visibility` = IF(?, ?, `visibility`) WHERE id = ? AND tenant_id = ? AND parent_id = ? AND version = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_calendar.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_CALENDAR_DELETE (usus) -> ()
DELETE FROM project_calendar WHERE id = ? AND tenant_id = ? AND parent_id = ? AND EXISTS (SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$.x', m TINYINT PATH '$.m')) j STRAIGHT_JOIN project_reader s ON s.row_id = project_calendar.top_id AND s.reader_id = UNHEX(x) AND s.role BETWEEN 2 AND m);
-- PROJECT_CALENDAR_PURGEBELOW (u) -> ()
DELETE FROM project_calendar WHERE parent_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = parent_id) LIMIT 1000;
-- PROJECT_CALENDAR_PURGETOP (u) -> ()
DELETE FROM project_calendar WHERE top_id = ? AND NOT EXISTS (SELECT 1 FROM project p WHERE p.id = top_id) LIMIT 1000;
-- PROJECT_CALENDAR_DISOWN (su) -> ()
UPDATE project_calendar SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- CONVERSATION_FOLDER_LIST (sussui) -> (uiiiusSUB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `under_id`, CAST(NULL AS BINARY) FROM conversation_folder WHERE tenant_id = ? AND user_id = ? AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- CONVERSATION_FOLDER_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_folder WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- CONVERSATION_FOLDER_GET (usu) -> (uiiiusSUB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `under_id`, CAST(NULL AS BINARY) FROM conversation_folder WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- CONVERSATION_FOLDER_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_folder WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- CONVERSATION_FOLDER_EXPORT (suui) -> (uiiiusSUB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `under_id`, CAST(NULL AS BINARY) FROM conversation_folder WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- CONVERSATION_FOLDER_INSERT (usuiiisSUB) -> ()
INSERT INTO conversation_folder (id, tenant_id, user_id, version, created_us, updated_us, sort_key, `name`, `under_id`, `folded`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- CONVERSATION_FOLDER_UPDATE (iSISIUIBusui) -> ()
UPDATE conversation_folder SET version = version + 1, updated_us = ?, sort_key = COALESCE(?, sort_key), `name` = IF(?, ?, `name`), `under_id` = IF(?, ?, `under_id`), `folded` = IF(?, ?, `folded`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- CONVERSATION_FOLDER_DELETE (usu) -> ()
DELETE FROM conversation_folder WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- CONVERSATION_FOLDER_ERASE (su) -> ()
DELETE FROM conversation_folder WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- CONVERSATION_FOLDER_FIND (sussssssssssui) -> (uiiiusSUBB)
SELECT id, version, created_us, updated_us, user_id, sort_key, CAST(NULL AS CHAR), `under_id`, CAST(NULL AS BINARY), SUBSTRING_INDEX(folded, CHAR(10), 1) FROM conversation_folder WHERE tenant_id = ? AND user_id = ? AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND LOCATE(?, folded) > 0 AND sort_key >= ? AND (sort_key > ? OR id > ?) ORDER BY sort_key, id LIMIT ?;
-- CONVERSATION_FOLDER_FOUND (ssu) -> (uiiiusSUB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `under_id`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN conversation_folder ON id = UNHEX(y) WHERE tenant_id = ? AND user_id = ?;
-- CONVERSATION_FOLDER_UNFOLDED (ui) -> (uiiiusSUB)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `under_id`, CAST(NULL AS BINARY) FROM conversation_folder WHERE folded IS NULL AND id > ? ORDER BY id LIMIT ?;
-- CONVERSATION_FOLDER_FOLD (Bu) -> ()
UPDATE conversation_folder SET folded = ? WHERE id = ? AND folded IS NULL;
-- CONVERSATION_FOLDER_HOLD (usu) -> (u)
SELECT id FROM conversation_folder WHERE id = ? AND tenant_id = ? AND user_id = ? LOCK IN SHARE MODE;
-- FOLDER_CONVERSATION_UNLINK (u) -> ()
UPDATE conversation SET folder_id = NULL, version = version + 1 WHERE folder_id = ? LIMIT 1000;
-- FOLDER_UNDER_UNLINK (u) -> ()
UPDATE conversation_folder SET under_id = NULL, version = version + 1 WHERE under_id = ? LIMIT 1000;
-- CONVERSATION_SHARE_LIST (suiiui) -> (uiiiusUSSSIIIIIU)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `kind`, (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id` FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- CONVERSATION_SHARE_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_share WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- CONVERSATION_SHARE_GET (usu) -> (uiiiusUSSSIIIIIU)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `kind`, (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id` FROM conversation_share WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- CONVERSATION_SHARE_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_share WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- CONVERSATION_SHARE_EXPORT (suui) -> (uiiiusUSSSIIIIIU)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `kind`, (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id` FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- CONVERSATION_SHARE_INSERT (usuiiiUSUSIIIIIU) -> ()
INSERT INTO conversation_share (id, tenant_id, user_id, version, created_us, updated_us, `conversation_id`, `kind`, `member_id`, `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- CONVERSATION_SHARE_UPDATE (iIIIIIIusui) -> ()
UPDATE conversation_share SET version = version + 1, updated_us = ?, `tools` = IF(?, ?, `tools`), `files` = IF(?, ?, `files`), `expires_us` = IF(?, ?, `expires_us`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- CONVERSATION_SHARE_DELETE (usu) -> ()
DELETE FROM conversation_share WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- CONVERSATION_SHARE_ERASE (su) -> ()
DELETE FROM conversation_share WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- CONVERSATION_SHARE_LISTED (suiUiiui) -> (uiiiusUSSSIIIIIU)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `kind`, (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id` FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- CONVERSATION_SHARE_LISTEDTOTAL (suiUi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) LIMIT ?) c;
-- CONVERSATION_SHARE_UP_created_us (suiUIIui) -> (uiiiusUSSSIIIIIU)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `kind`, (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id` FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND `created_us` >= ? AND (`created_us` > ? OR id > ?) ORDER BY `created_us`, id LIMIT ?;
-- CONVERSATION_SHARE_DOWN_created_us (suiUIIui) -> (uiiiusUSSSIIIIIU)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `kind`, (SELECT u.login FROM user u WHERE u.id = `member_id`), `group_name`, `live`, `tools`, `files`, `expires_us`, `upto_seq`, `reader_id` FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND `created_us` <= ? AND (`created_us` < ? OR id < ?) ORDER BY `created_us` DESC, id DESC LIMIT ?;
-- PUBLIC_LINK_LIST (siiui) -> (uiiiussSIIII)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, (SELECT u.login FROM user u WHERE u.id = user_id), `live`, `tools`, `files`, `expires_us` FROM conversation_share WHERE tenant_id = ? AND `kind` = 'link' AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PUBLIC_LINK_TOTAL (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_share WHERE tenant_id = ? AND `kind` = 'link' LIMIT ?) c;
-- PUBLIC_LINK_GET (us) -> (uiiiussSIIII)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, (SELECT u.login FROM user u WHERE u.id = user_id), `live`, `tools`, `files`, `expires_us` FROM conversation_share WHERE id = ? AND tenant_id = ? AND `kind` = 'link';
-- PUBLIC_LINK_COUNT (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM conversation_share WHERE tenant_id = ? AND `kind` = 'link' LIMIT ?) c;
-- PUBLIC_LINK_EXPORT (suui) -> (uiiiussSIIII)
SELECT id, version, created_us, updated_us, user_id, '', `kind`, (SELECT u.login FROM user u WHERE u.id = user_id), `live`, `tools`, `files`, `expires_us` FROM conversation_share WHERE tenant_id = ? AND user_id = ? AND `kind` = 'link' AND id > ? ORDER BY id LIMIT ?;
-- PUBLIC_LINK_INSERT (usuiiisIIII) -> ()
INSERT INTO conversation_share (id, tenant_id, user_id, version, created_us, updated_us, `kind`, `live`, `tools`, `files`, `expires_us`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PUBLIC_LINK_UPDATE (iusi) -> ()
UPDATE conversation_share SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND version = ? AND `kind` = 'link';
-- PUBLIC_LINK_DELETE (us) -> ()
DELETE FROM conversation_share WHERE id = ? AND tenant_id = ? AND `kind` = 'link';
-- PUBLIC_LINK_DISOWN (su) -> ()
UPDATE conversation_share SET user_id = '' WHERE tenant_id = ? AND user_id = ? AND `kind` = 'link' LIMIT 10000;
-- PLAN_LIST (suiiui) -> (uiiiusUUSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress` FROM plan WHERE tenant_id = ? AND user_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PLAN_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM plan WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- PLAN_GET (usu) -> (uiiiusUUSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress` FROM plan WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PLAN_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM plan WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- PLAN_EXPORT (suui) -> (uiiiusUUSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress` FROM plan WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PLAN_INSERT (usuiiiUUSSSSS) -> ()
INSERT INTO plan (id, tenant_id, user_id, version, created_us, updated_us, `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PLAN_UPDATE (iusui) -> ()
UPDATE plan SET version = version + 1, updated_us = ? WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- PLAN_DELETE (usu) -> ()
DELETE FROM plan WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PLAN_ERASE (su) -> ()
DELETE FROM plan WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- PLAN_LISTED (suiUiiui) -> (uiiiusUUSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress` FROM plan WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PLAN_LISTEDTOTAL (suiUi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM plan WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) LIMIT ?) c;
-- PLAN_UP_created_us (suiUIIui) -> (uiiiusUUSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress` FROM plan WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND `created_us` >= ? AND (`created_us` > ? OR id > ?) ORDER BY `created_us`, id LIMIT ?;
-- PLAN_DOWN_created_us (suiUIIui) -> (uiiiusUUSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `conversation_id`, `turn_id`, `call_id`, `goal`, `status`, `plan`, `progress` FROM plan WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND `created_us` <= ? AND (`created_us` < ? OR id < ?) ORDER BY `created_us` DESC, id DESC LIMIT ?;
-- PERSONAL_MEMORY_LIST (suiiui) -> (uiiiusSSUS)
SELECT id, version, created_us, updated_us, user_id, '', `text`, `state`, `conversation_id`, `origins` FROM personal_memory WHERE tenant_id = ? AND user_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PERSONAL_MEMORY_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM personal_memory WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- PERSONAL_MEMORY_GET (usu) -> (uiiiusSSUS)
SELECT id, version, created_us, updated_us, user_id, '', `text`, `state`, `conversation_id`, `origins` FROM personal_memory WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PERSONAL_MEMORY_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM personal_memory WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- PERSONAL_MEMORY_EXPORT (suui) -> (uiiiusSSUS)
SELECT id, version, created_us, updated_us, user_id, '', `text`, `state`, `conversation_id`, `origins` FROM personal_memory WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- PERSONAL_MEMORY_INSERT (usuiiiSSUS) -> ()
INSERT INTO personal_memory (id, tenant_id, user_id, version, created_us, updated_us, `text`, `state`, `conversation_id`, `origins`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- PERSONAL_MEMORY_UPDATE (iISISusui) -> ()
UPDATE personal_memory SET version = version + 1, updated_us = ?, `text` = IF(?, ?, `text`), `state` = IF(?, ?, `state`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- PERSONAL_MEMORY_DELETE (usu) -> ()
DELETE FROM personal_memory WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- PERSONAL_MEMORY_ERASE (su) -> ()
DELETE FROM personal_memory WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- PERSONAL_MEMORY_LISTED (suiSiiui) -> (uiiiusSSUS)
SELECT id, version, created_us, updated_us, user_id, '', `text`, `state`, `conversation_id`, `origins` FROM personal_memory WHERE tenant_id = ? AND user_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`state`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- PERSONAL_MEMORY_LISTEDTOTAL (suiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM personal_memory WHERE tenant_id = ? AND user_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`state`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- PERSONAL_MEMORY_UP_updated_us (suiSIIui) -> (uiiiusSSUS)
SELECT id, version, created_us, updated_us, user_id, '', `text`, `state`, `conversation_id`, `origins` FROM personal_memory WHERE tenant_id = ? AND user_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`state`, ''), COALESCE(?, ''))) AND `updated_us` >= ? AND (`updated_us` > ? OR id > ?) ORDER BY `updated_us`, id LIMIT ?;
-- PERSONAL_MEMORY_DOWN_updated_us (suiSIIui) -> (uiiiusSSUS)
SELECT id, version, created_us, updated_us, user_id, '', `text`, `state`, `conversation_id`, `origins` FROM personal_memory WHERE tenant_id = ? AND user_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`state`, ''), COALESCE(?, ''))) AND `updated_us` <= ? AND (`updated_us` < ? OR id < ?) ORDER BY `updated_us` DESC, id DESC LIMIT ?;
-- RATING_LIST (suiiui) -> (uiiiusSUSSSIUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND user_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- RATING_TOTAL (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM rating WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- RATING_GET (usu) -> (uiiiusSUSSSIUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, `question`, `answer` FROM rating WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- RATING_COUNT (sui) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM rating WHERE tenant_id = ? AND user_id = ? LIMIT ?) c;
-- RATING_EXPORT (suui) -> (uiiiusSUSSSIUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, `question`, `answer` FROM rating WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- RATING_INSERT (usuiiiSUSSSIUSSSSSSS) -> ()
INSERT INTO rating (id, tenant_id, user_id, version, created_us, updated_us, `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, `question`, `answer`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- RATING_UPDATE (iISISISIIISISusui) -> ()
UPDATE rating SET version = version + 1, updated_us = ?, `comment` = IF(?, ?, `comment`), `value` = IF(?, ?, `value`), `reasons` = IF(?, ?, `reasons`), `with_text` = IF(?, ?, `with_text`), `question` = IF(?, ?, `question`), `answer` = IF(?, ?, `answer`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ?;
-- RATING_DELETE (usu) -> ()
DELETE FROM rating WHERE id = ? AND tenant_id = ? AND user_id = ?;
-- RATING_ERASE (su) -> ()
DELETE FROM rating WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- RATING_LISTED (suiUiSiiui) -> (uiiiusSUSSSIUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- RATING_LISTEDTOTAL (suiUiSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM rating WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- RATING_UP_created_us (suiUiSIIui) -> (uiiiusSUSSSIUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) AND `created_us` >= ? AND (`created_us` > ? OR id > ?) ORDER BY `created_us`, id LIMIT ?;
-- RATING_DOWN_created_us (suiUiSIIui) -> (uiiiusSUSSSIUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `with_text`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND user_id = ? AND (? OR `conversation_id` = ?) AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) AND `created_us` <= ? AND (`created_us` < ? OR id < ?) ORDER BY `created_us` DESC, id DESC LIMIT ?;
-- RATED_ANSWER_LIST (siiui) -> (uiiiusSSUSSSUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', (SELECT u.login FROM user u WHERE u.id = user_id), `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- RATED_ANSWER_TOTAL (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM rating WHERE tenant_id = ? LIMIT ?) c;
-- RATED_ANSWER_GET (us) -> (uiiiusSSUSSSUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', (SELECT u.login FROM user u WHERE u.id = user_id), `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, `question`, `answer` FROM rating WHERE id = ? AND tenant_id = ?;
-- RATED_ANSWER_COUNT (si) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM rating WHERE tenant_id = ? LIMIT ?) c;
-- RATED_ANSWER_EXPORT (suui) -> (uiiiusSSUSSSUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', (SELECT u.login FROM user u WHERE u.id = user_id), `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, `question`, `answer` FROM rating WHERE tenant_id = ? AND user_id = ? AND id > ? ORDER BY id LIMIT ?;
-- RATED_ANSWER_INSERT (usuiiiSUSSSUSSSSSSS) -> ()
INSERT INTO rating (id, tenant_id, user_id, version, created_us, updated_us, `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, `question`, `answer`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- RATED_ANSWER_UPDATE (iISISusi) -> ()
UPDATE rating SET version = version + 1, updated_us = ?, `question` = IF(?, ?, `question`), `answer` = IF(?, ?, `answer`) WHERE id = ? AND tenant_id = ? AND version = ?;
-- RATED_ANSWER_DELETE (us) -> ()
DELETE FROM rating WHERE id = ? AND tenant_id = ?;
-- RATED_ANSWER_DISOWN (su) -> ()
UPDATE rating SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- RATED_ANSWER_LISTED (siSiiui) -> (uiiiusSSUSSSUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', (SELECT u.login FROM user u WHERE u.id = user_id), `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- RATED_ANSWER_LISTEDTOTAL (siSi) -> (i)
SELECT COUNT(*) FROM (SELECT 1 FROM rating WHERE tenant_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) LIMIT ?) c;
-- RATED_ANSWER_UP_created_us (siSIIui) -> (uiiiusSSUSSSUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', (SELECT u.login FROM user u WHERE u.id = user_id), `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) AND `created_us` >= ? AND (`created_us` > ? OR id > ?) ORDER BY `created_us`, id LIMIT ?;
-- RATED_ANSWER_DOWN_created_us (siSIIui) -> (uiiiusSSUSSSUSSSSSSS)
SELECT id, version, created_us, updated_us, user_id, '', (SELECT u.login FROM user u WHERE u.id = user_id), `comment`, `conversation_id`, `message_id`, `value`, `reasons`, `turn_id`, `workspace_id`, `agent_id`, `model`, `finish_reason`, `documents`, CAST(NULL AS CHAR), CAST(NULL AS CHAR) FROM rating WHERE tenant_id = ? AND ? <> (NOT FIND_IN_SET(COALESCE(`value`, ''), COALESCE(?, ''))) AND `created_us` <= ? AND (`created_us` < ? OR id < ?) ORDER BY `created_us` DESC, id DESC LIMIT ?;
-- CONVERSATION_HOLD (usu) -> (u)
SELECT id FROM conversation WHERE id = ? AND tenant_id = ? AND user_id = ? LOCK IN SHARE MODE;
-- MESSAGE_PURGE (u) -> ()
DELETE FROM message WHERE conversation_id = ? LIMIT 1000;
-- VARIANT_PURGE (u) -> ()
DELETE FROM variant WHERE conversation_id = ? LIMIT 1000;
-- THREAD_GAP_PURGE (u) -> ()
DELETE FROM thread_gap WHERE conversation_id = ? LIMIT 1000;
-- CONVERSATION_MEMORY_PURGE (u) -> ()
DELETE FROM conversation_memory WHERE conversation_id = ? LIMIT 100;
-- CONVERSATION_FACT_PURGE (u) -> ()
DELETE FROM conversation_fact WHERE conversation_id = ? LIMIT 1000;
-- RATING_PURGE (u) -> ()
DELETE FROM rating WHERE conversation_id = ? LIMIT 1000;
-- PLAN_PURGE (u) -> ()
DELETE FROM plan WHERE conversation_id = ? LIMIT 100;
-- PLAN_STEP_PURGE (u) -> ()
DELETE FROM plan_step WHERE conversation_id = ? LIMIT 100;
-- PLAN_CALL_PURGE (u) -> ()
DELETE FROM plan_call WHERE conversation_id = ? LIMIT 100;
-- TOOL_OUTPUT_PURGE (u) -> ()
DELETE FROM tool_output WHERE conversation_id = ? LIMIT 100;
-- TURN_SOURCE_PURGE (u) -> ()
DELETE FROM turn_source WHERE conversation_id = ? LIMIT 200;
-- RATING_HIDE (uu) -> ()
UPDATE rating SET tenant_id = '', user_id = ? WHERE conversation_id = ?;
-- PLAN_HIDE (uu) -> ()
UPDATE plan SET tenant_id = '', user_id = ? WHERE conversation_id = ?;
-- CONVERSATION_SHARE_HIDE (uu) -> ()
UPDATE conversation_share SET tenant_id = '', user_id = ? WHERE conversation_id = ?;
-- FORK_UNLINK (u) -> ()
UPDATE conversation SET forked_from = NULL, version = version + 1 WHERE forked_from = ? LIMIT 1000;
-- PERSONAL_MEMORY_UNLINK (u) -> ()
UPDATE personal_memory SET conversation_id = NULL, version = version + 1 WHERE conversation_id = ? LIMIT 1000;
-- ATTACHMENT_USE_UNLINK (u) -> ()
UPDATE attachment_use SET conversation_id = NULL WHERE conversation_id = ? LIMIT 1000;
-- CONVERSATION_SHARE_PURGE (u) -> ()
DELETE FROM conversation_share WHERE conversation_id = ? LIMIT 1000;
-- TURN_WAIT_PURGE (u) -> ()
DELETE FROM turn_wait WHERE conversation_id = ? LIMIT 1000;
-- CONVERSATION_ALLOW_PURGE (u) -> ()
DELETE FROM conversation_allow WHERE conversation_id = ? LIMIT 1000;
-- CLIENT_PREFIX_PURGE (u) -> ()
DELETE FROM client_prefix WHERE conversation_id = ? LIMIT 1000;
-- CHANGE_CAUSE_UNLINK (u) -> ()
UPDATE resource_change SET conversation_id = NULL, turn_id = NULL WHERE conversation_id = ? LIMIT 1000;
-- USAGE_UNLINK (u) -> ()
UPDATE usage_record SET conversation_id = NULL, turn_id = NULL WHERE conversation_id = ? LIMIT 1000;
-- TURN_EVENT_PURGE (u) -> ()
DELETE FROM turn_event WHERE turn_id = ?;
-- TURN_IDS (u) -> (u)
SELECT id FROM turn WHERE conversation_id = ? ORDER BY id LIMIT 100;
-- TURN_PURGE (u) -> ()
DELETE FROM turn WHERE id = ?;
-- TURN_EVENT_HELD (ii) -> ()
UPDATE turn_event SET created_us = ? WHERE created_us < ? AND EXISTS (SELECT 1 FROM turn t WHERE t.id = turn_event.turn_id AND t.status IN (1, 2)) ORDER BY created_us LIMIT 1000;
-- TURN_EVENT_EXPIRE (i) -> ()
DELETE FROM turn_event WHERE created_us < ? AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = turn_event.turn_id AND t.status IN (1, 2)) ORDER BY created_us LIMIT 1000;
-- RESOURCE_ANNOUNCED_EXPIRE (i) -> ()
DELETE FROM resource_change WHERE announced_us < ? ORDER BY announced_us LIMIT 1000;
-- NOTIFICATION_EXPIRE (i) -> ()
DELETE FROM notification WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- TOOL_OUTPUT_EXPIRE (i) -> ()
DELETE FROM tool_output WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- API_TOKEN_EXPIRE (i) -> ()
DELETE FROM api_token WHERE ended_us < ? ORDER BY ended_us LIMIT 1000;
-- METRIC_GAUGE_EXPIRE (i) -> ()
DELETE FROM metric_gauge WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- WEB_PROCESS_EXPIRE (i) -> ()
DELETE FROM web_process WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- JOB_EXPIRE (i) -> ()
DELETE FROM job WHERE created_us < ? AND due_us = 9223372036854775807 ORDER BY created_us LIMIT 1000;
-- USAGE_OWNER_DISOWN (su) -> ()
UPDATE usage_record SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- AGENT_AUTHOR_DISOWN (su) -> ()
UPDATE agent SET author_id = NULL, author = NULL, folded = LEFT(folded, LENGTH(folded) - LENGTH(SUBSTRING_INDEX(folded, CHAR(10), -1))) WHERE tenant_id = ? AND author_id = ? LIMIT 10000;
-- WORKSPACE_AUTHOR_DISOWN (su) -> ()
UPDATE workspace SET author_id = NULL, author = NULL WHERE tenant_id = ? AND author_id = ? LIMIT 10000;
-- PROMPT_AUTHOR_DISOWN (su) -> ()
UPDATE prompt SET author_id = NULL, author = NULL, folded = LEFT(folded, LENGTH(folded) - LENGTH(SUBSTRING_INDEX(folded, CHAR(10), -1))) WHERE tenant_id = ? AND author_id = ? LIMIT 10000;
-- SETTING_AUTHOR_DISOWN (su) -> ()
UPDATE setting SET author_id = NULL, author = NULL WHERE tenant_id = ? AND author_id = ? LIMIT 10000;
-- DOCUMENT_AUTHOR_DISOWN (su) -> ()
UPDATE document SET user_id = '' WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- PROMPT_USE_ERASE (su) -> ()
DELETE FROM prompt_use WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- PROJECT_BIN_ERASE (su) -> ()
DELETE FROM project_bin WHERE tenant_id = ? AND reader_id = ? LIMIT 1000;
-- PROJECT_MEMBER_PERSON_ERASE (su) -> ()
DELETE FROM project_member WHERE tenant_id = ? AND member_id = ? LIMIT 1000;
-- CONVERSATION_SHARE_PERSON_ERASE (su) -> ()
DELETE FROM conversation_share WHERE tenant_id = ? AND member_id = ? LIMIT 1000;
-- ENTITY_OWNER_DISOWN (su) -> ()
UPDATE entity SET owner_id = NULL WHERE tenant_id = ? AND owner_id = ? LIMIT 10000;
-- JOB_ASKER_DISOWN (su) -> ()
UPDATE job SET user_id = NULL WHERE tenant_id = ? AND user_id = ? LIMIT 10000;
-- SETTING_ERASE (su) -> ()
DELETE FROM setting WHERE tenant_id = ? AND holder_id = ? LIMIT 1000;
-- NOTIFICATION_ERASE (su) -> ()
DELETE FROM notification WHERE EXISTS (SELECT 1 FROM notification_topic t WHERE t.tenant_id = ? AND t.user_id = notification.user_id) AND user_id = ? LIMIT 1000;
-- NOTIFICATION_TOPIC_ERASE (su) -> ()
DELETE FROM notification_topic WHERE tenant_id = ? AND user_id = ? LIMIT 1000;
-- USER_ERASE (su) -> ()
DELETE FROM user WHERE tenant_id = ? AND id = ? LIMIT 1000;
-- ANNOUNCE (usuiiisussiUUu) -> ()
INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, ?);
-- ANNOUNCE_LAST (usuiiisussiUUu) -> ()
BEGIN NOT ATOMIC INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us, announced_us, kind, row_id, title, verb, fields, number, turn_id, conversation_id, can_undo, readers) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, 0, ?); COMMIT; END;
-- PERSON (us) -> (i)
SELECT 1 FROM user WHERE id = ? AND tenant_id = ?;
-- PERSON_LOGIN (us) -> (s)
SELECT login FROM user WHERE id = ? AND tenant_id = ?;
-- PERSON_HERE (ussii) -> ()
INSERT IGNORE INTO user (id, tenant_id, login, first_seen_us, last_seen_us) VALUES (?,?,?,?,?);
-- KNOWLEDGE_BASE_FEW (ssi) -> (uiiiusSSSSSSISB)
SELECT id, version, created_us, updated_us, holder_id, sort_key, `name`, `description`, `language`, `workspace_id`, `tier`, `team`, `paused`, `embedding_service_id`, CAST(NULL AS BINARY) FROM (SELECT DISTINCT row_id FROM JSON_TABLE(?, '$[*]' COLUMNS (x CHAR(32) PATH '$')) j STRAIGHT_JOIN knowledge_base_reader ON tenant_id = ? AND reader_id = UNHEX(x) LIMIT ?) seen STRAIGHT_JOIN knowledge_base ON id = seen.row_id ORDER BY sort_key, id;
-- LLM_SERVICE_NAMED (ss) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, user_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service WHERE tenant_id = ? AND service_id = ?;
-- LLM_SERVICE_WITHIN (ssssss) -> (uiiiusSSSSBSSSSIIDDSIBIIIIISS)
SELECT id, version, created_us, updated_us, parent_id, sort_key, `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM workspace_service LEFT JOIN (SELECT 1 AS one, `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service LIMIT 0) none ON TRUE WHERE tenant_id = ? AND service_id = ? AND parent_id = (SELECT w.id FROM workspace w WHERE w.tenant_id = ? AND w.workspace_id = ?) UNION ALL SELECT id, version, created_us, updated_us, user_id, '', `name`, `provider`, `model`, `url`, `api_key`, `service_id`, `api_version`, `deployment`, `capabilities`, `context_tokens`, `max_output_tokens`, `temperature`, `top_p`, `reasoning_effort`, `thinking_budget_tokens`, CAST(NULL AS BINARY), `connect_timeout_ms`, `first_byte_timeout_ms`, `idle_timeout_ms`, `total_timeout_ms`, `retries`, `fallbacks`, `quirks` FROM llm_service WHERE tenant_id = ? AND service_id = ? LIMIT 1;
-- AGENT_FIRST (ss) -> (uiiiusSSSSSSSSSIISIDISIUSB)
SELECT id, version, created_us, updated_us, holder_id, '', `workspace_id`, `name`, `description`, `system_prompt`, `user_prompt`, `visibility`, `agent_id`, `llm_service_id`, `tools`, `max_tool_iterations`, `rag_enabled`, `knowledge_base_ids`, `rag_max_results`, `rag_min_score`, `rerank_enabled`, `reranking_service_id`, `rerank_max_results`, `author_id`, `author`, CAST(NULL AS BINARY) FROM JSON_TABLE(?, '$[*]' COLUMNS (y CHAR(32) PATH '$')) i STRAIGHT_JOIN (SELECT w.id AS of_id, w.default_agent_id AS first_id FROM workspace w) w ON w.of_id = UNHEX(i.y) STRAIGHT_JOIN agent ON parent_id = w.of_id AND holder_id = w.of_id AND agent_id = w.first_id WHERE tenant_id = ?;
-- LLM_SERVICE_BIND (ss) -> ()
UPDATE llm_service SET version = version + 1 WHERE tenant_id = ? AND service_id = ?;
-- LLM_SERVICE_CLAIM (us) -> ()
UPDATE llm_service SET version = version + 1 WHERE id = ? AND tenant_id = ?;
-- WORKSPACE_SERVICE_BIND (ssss) -> ()
UPDATE workspace_service SET version = version + 1 WHERE tenant_id = ? AND service_id = ? AND parent_id = (SELECT w.id FROM workspace w WHERE w.tenant_id = ? AND w.workspace_id = ?);
-- WORKSPACE_SERVICE_CLAIM (us) -> ()
UPDATE workspace_service SET version = version + 1 WHERE id = ? AND tenant_id = ?;
-- PROVIDER_INSTANCE_REST (isuu) -> ()
UPDATE provider_instance SET active = 0, version = version + 1, updated_us = ? WHERE tenant_id = ? AND user_id = ? AND id <> ? AND active = 1;
-- WORKSPACE_OUTLIVE (suuu) -> ()
UPDATE workspace SET version = version + 1, holder_id = '' WHERE tenant_id = ? AND holder_id = ? AND EXISTS (SELECT 1 FROM workspace_reader s WHERE s.row_id = workspace.id AND s.reader_id NOT IN (?, ?));
-- PROJECT_OTHERS (us) -> ()
UPDATE project SET others = 1 WHERE id = ? AND tenant_id = ? AND others = 0;
-- PLAN_CALL_LAND (uii) -> ()
UPDATE plan_call SET landed = landed + 1 WHERE plan_id = ? AND number = ? AND tries = ?;

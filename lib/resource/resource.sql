-- API_TOKEN_LIST (suiiui) -> (uiiiSISSB)
SELECT id, version, created_us, updated_us, `name`, `expires_us`, `groups`, `login`, `hash` FROM api_token WHERE tenant_id = ? AND user_id = ? AND revoked_us IS NULL AND created_us <= ? AND (created_us < ? OR id < ?) ORDER BY created_us DESC, id DESC LIMIT ?;
-- API_TOKEN_COUNT (su) -> (i)
SELECT COUNT(*) FROM api_token WHERE tenant_id = ? AND user_id = ? AND revoked_us IS NULL;
-- API_TOKEN_GET (usu) -> (uiiiSISSB)
SELECT id, version, created_us, updated_us, `name`, `expires_us`, `groups`, `login`, `hash` FROM api_token WHERE id = ? AND tenant_id = ? AND user_id = ? AND revoked_us IS NULL;
-- API_TOKEN_INSERT (usuiiSISSB) -> ()
INSERT INTO api_token (id, tenant_id, user_id, version, created_us, updated_us, `name`, `expires_us`, `groups`, `login`, `hash`) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?);
-- API_TOKEN_UPDATE (iISusui) -> ()
UPDATE api_token SET version = version + 1, updated_us = ?, `name` = IF(?, ?, `name`) WHERE id = ? AND tenant_id = ? AND user_id = ? AND version = ? AND revoked_us IS NULL;
-- API_TOKEN_DELETE (iusu) -> ()
UPDATE api_token SET revoked_us = ? WHERE id = ? AND tenant_id = ? AND user_id = ? AND revoked_us IS NULL;
-- CONVERSATION_HOLD (usu) -> (u)
SELECT id FROM conversation WHERE id = ? AND tenant_id = ? AND user_id = ? LOCK IN SHARE MODE;
-- MESSAGE_PURGE (u) -> ()
DELETE FROM message WHERE conversation_id = ? LIMIT 1000;
-- VARIANT_PURGE (u) -> ()
DELETE FROM variant WHERE conversation_id = ? LIMIT 1000;
-- TOOL_OUTPUT_PURGE (u) -> ()
DELETE FROM tool_output WHERE conversation_id = ? LIMIT 100;
-- FORK_UNLINK (u) -> ()
UPDATE conversation SET forked_from = NULL, version = version + 1 WHERE forked_from = ? LIMIT 1000;
-- TURN_WAIT_PURGE (u) -> ()
DELETE FROM turn_wait WHERE conversation_id = ? LIMIT 1000;
-- CONVERSATION_ALLOW_PURGE (u) -> ()
DELETE FROM conversation_allow WHERE conversation_id = ? LIMIT 1000;
-- USAGE_UNLINK (u) -> ()
UPDATE usage_record SET conversation_id = NULL, turn_id = NULL WHERE conversation_id = ? LIMIT 1000;
-- TURN_EVENT_PURGE (u) -> ()
DELETE FROM turn_event WHERE turn_id = ?;
-- TURN_IDS (u) -> (u)
SELECT id FROM turn WHERE conversation_id = ? ORDER BY id LIMIT 100;
-- TURN_PURGE (u) -> ()
DELETE FROM turn WHERE id = ?;
-- TURN_EVENT_EXPIRE (i) -> ()
DELETE FROM turn_event WHERE created_us < ? AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = turn_event.turn_id AND t.status IN (1, 2)) ORDER BY created_us LIMIT 1000;
-- NOTIFICATION_EXPIRE (i) -> ()
DELETE FROM notification WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- TOOL_OUTPUT_EXPIRE (i) -> ()
DELETE FROM tool_output WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- METRIC_GAUGE_EXPIRE (i) -> ()
DELETE FROM metric_gauge WHERE created_us < ? ORDER BY created_us LIMIT 1000;
-- JOB_EXPIRE (i) -> ()
DELETE FROM job WHERE created_us < ? AND due_us = 9223372036854775807 ORDER BY created_us LIMIT 1000;

-- People are found by how their names begin (mentions).

CREATE INDEX IF NOT EXISTS user_name ON user (tenant_id, name);

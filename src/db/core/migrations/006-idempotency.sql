-- Writes that came with an Idempotency-Key. Without a status the answer is still to come, or was lost with the process.
CREATE TABLE idempotency_keys (
  link TEXT NOT NULL REFERENCES credentials (link) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request_sha256 BLOB NOT NULL,
  steady_at INTEGER NOT NULL,
  status INTEGER,
  -- As JSON.
  headers TEXT,
  body TEXT,
  PRIMARY KEY (link, key)
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (link, steady_at);

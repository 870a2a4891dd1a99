-- People who administer the home from a browser. Times with steady are steady time in ms, the others epoch ms.

CREATE TABLE persons (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  -- Argon2id with its salt and costs; null of those who have only a passkey, or came in by a one-time link.
  password TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A session has two secrets, of which only hashes are kept. Without a person it came in by a one-time link.
CREATE TABLE console_sessions (
  id TEXT PRIMARY KEY,
  person TEXT REFERENCES persons (id) ON DELETE CASCADE,
  cookie_sha256 BLOB NOT NULL UNIQUE,
  half_sha256 BLOB NOT NULL,
  own_device INTEGER NOT NULL,
  browser TEXT NOT NULL,
  peer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  steady_created_at INTEGER NOT NULL,
  steady_used_at INTEGER NOT NULL,
  steady_proved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Writes of people have keys too; what is kept of them goes with whose it is.
CREATE TABLE keyed_writes (
  link TEXT NOT NULL,
  key TEXT NOT NULL,
  request_sha256 BLOB NOT NULL,
  steady_at INTEGER NOT NULL,
  status INTEGER,
  -- As JSON.
  headers TEXT,
  body TEXT,
  PRIMARY KEY (link, key)
) STRICT;
INSERT INTO keyed_writes SELECT link, key, request_sha256, steady_at, status, headers, body FROM idempotency_keys;
DROP TABLE idempotency_keys;
ALTER TABLE keyed_writes RENAME TO idempotency_keys;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (link, steady_at);
CREATE TRIGGER keyed_writes_of_credential AFTER DELETE ON credentials BEGIN
  DELETE FROM idempotency_keys WHERE link = old.link;
END;
CREATE TRIGGER keyed_writes_of_session AFTER DELETE ON console_sessions BEGIN
  DELETE FROM idempotency_keys WHERE link = old.id;
END;

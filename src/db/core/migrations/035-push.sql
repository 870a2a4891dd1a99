-- Browsers that get messages by Web Push, and the key that signs to their push services.
CREATE TABLE push_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  private_key BLOB NOT NULL
) STRICT;

CREATE TABLE push_subscriptions (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
  -- The session that made it; it may have expired since.
  session TEXT NOT NULL,
  browser TEXT NOT NULL,
  endpoint TEXT NOT NULL UNIQUE,
  p256dh BLOB NOT NULL,
  auth BLOB NOT NULL,
  names INTEGER NOT NULL,
  -- Epoch ms.
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Deliveries are for a webhook or for a push subscription.
ALTER TABLE deliveries RENAME TO webhook_deliveries;
CREATE TABLE deliveries (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  webhook TEXT REFERENCES webhooks (id) ON DELETE CASCADE,
  push TEXT REFERENCES push_subscriptions (id) ON DELETE CASCADE,
  message TEXT NOT NULL,
  -- JSON: the message as it was, and the number of its repetitions.
  notice TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  error TEXT,
  CHECK ((webhook IS NULL) <> (push IS NULL))
) STRICT;
INSERT INTO deliveries (n, id, webhook, message, notice, state, attempts, created_at, at, error)
  SELECT n, id, webhook, message, notice, state, attempts, created_at, at, error FROM webhook_deliveries;
DROP TABLE webhook_deliveries;

-- Webhooks of the home's messages, and their deliveries.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  format TEXT NOT NULL,
  least TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- Epoch ms, as all times here.
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  message TEXT NOT NULL,
  -- JSON: the message as it was, and the number of its repetitions.
  notice TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  error TEXT
) STRICT;

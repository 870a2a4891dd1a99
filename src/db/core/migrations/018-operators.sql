-- Programs that look after the gateway: what they may is said by scopes, and the home is not among them.
CREATE TABLE operators (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- Words with a blank between them.
  scopes TEXT NOT NULL,
  secret_sha256 BLOB NOT NULL,
  -- Epoch ms.
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

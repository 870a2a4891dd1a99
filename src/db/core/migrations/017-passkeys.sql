-- Passkeys of persons: of the key only its public half. Times are epoch ms.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- At which name of the gateway it works.
  site TEXT NOT NULL,
  -- As its authenticator calls it, base64url.
  credential TEXT NOT NULL UNIQUE,
  -- COSE (RFC 9052).
  public_key BLOB NOT NULL,
  -- How often it was used, by its authenticator's own count; many always say 0.
  counter INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

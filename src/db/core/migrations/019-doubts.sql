-- Integrations that stay disabled until an administrator has acknowledged the incident: the configuration is an older
-- one, which may give them more than the lost one did.
CREATE TABLE doubts (
  integration TEXT PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  incident INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

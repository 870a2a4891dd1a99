-- Named groups of devices; members are device keys as JSON.
CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  members TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Whom the latest edits concern, as JSON.
  edits TEXT NOT NULL,
  origin_integration TEXT,
  origin_link TEXT,
  position INTEGER NOT NULL
) STRICT;

-- The list of kinds stays in the code, so that a new one needs no new table.
CREATE TABLE picks_now (
  integration TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  gang INTEGER NOT NULL DEFAULT -1,
  PRIMARY KEY (integration, kind, id, gang)
) STRICT, WITHOUT ROWID;
INSERT INTO picks_now SELECT integration, kind, id, gang FROM picks;
DROP TABLE picks;
ALTER TABLE picks_now RENAME TO picks;

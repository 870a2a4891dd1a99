-- What must never be lost: the home, its integrations and their credentials. Times are epoch ms.
CREATE TABLE home (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  serial TEXT NOT NULL,
  name TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  latitude REAL,
  longitude REAL,
  currency TEXT NOT NULL,
  -- Whether the first integration was made: it is made once, also when the very first start failed half-way.
  welcomed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE floors (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE rooms (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  floor TEXT REFERENCES floors (id) ON DELETE SET NULL,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE units (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  address INTEGER NOT NULL UNIQUE,
  model TEXT,
  class TEXT NOT NULL,
  room TEXT REFERENCES rooms (id) ON DELETE SET NULL,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE gangs (
  unit TEXT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
  gang INTEGER NOT NULL,
  name TEXT NOT NULL,
  class TEXT NOT NULL,
  room TEXT REFERENCES rooms (id) ON DELETE SET NULL,
  PRIMARY KEY (unit, gang)
) STRICT, WITHOUT ROWID;

CREATE TABLE scenes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  floor TEXT REFERENCES floors (id) ON DELETE SET NULL,
  room TEXT REFERENCES rooms (id) ON DELETE SET NULL,
  steps TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Whom the latest edits concern, as JSON.
  edits TEXT NOT NULL,
  origin_integration TEXT,
  origin_link TEXT,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE integrations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  expose TEXT NOT NULL CHECK (expose IN ('All', 'Selected')),
  -- The eight knobs of Spec 2.1 as one JSON object: they are always read and written together.
  knobs TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- What a Selected integration shows. Deliberately without foreign keys to the house: a pick outlives a re-import of the house.
CREATE TABLE picks (
  integration TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('floor', 'room', 'unit', 'gang', 'scene')),
  id TEXT NOT NULL,
  gang INTEGER NOT NULL DEFAULT -1,
  PRIMARY KEY (integration, kind, id, gang)
) STRICT, WITHOUT ROWID;

CREATE TABLE credentials (
  link TEXT PRIMARY KEY,
  integration TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('key', 'agent', 'session')),
  name TEXT NOT NULL,
  platform TEXT NOT NULL,
  secret_sha256 BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER,
  last_used_via TEXT
) STRICT;
CREATE INDEX credentials_by_integration ON credentials (integration);

-- Activity of configuration changes, stored in the transaction of the change and drained into history.db.
CREATE TABLE activity_outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  draft TEXT NOT NULL
) STRICT;

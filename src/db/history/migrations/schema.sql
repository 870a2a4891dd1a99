-- Made of the migrations by npm run docs:generate.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE causes (
  id INTEGER PRIMARY KEY,
  cause TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE activity (
  id INTEGER PRIMARY KEY,
  token BLOB NOT NULL,
  kind TEXT NOT NULL,
  subject INTEGER NOT NULL,
  what TEXT NOT NULL,
  cause INTEGER NOT NULL,
  data TEXT
) STRICT;

CREATE INDEX activity_by_subject ON activity (subject);

CREATE TABLE outbox_done (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE detections (
  unit INTEGER NOT NULL,
  at INTEGER NOT NULL,
  n INTEGER NOT NULL,
  kind TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (unit, at, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  unit INTEGER NOT NULL,
  kind TEXT NOT NULL,
  UNIQUE (unit, kind)
) STRICT;

CREATE TABLE readings_raw (
  series INTEGER NOT NULL,
  at INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (series, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE readings_minute (
  series INTEGER NOT NULL,
  at INTEGER NOT NULL,
  min REAL NOT NULL,
  max REAL NOT NULL,
  mean REAL NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (series, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE readings_hour (
  series INTEGER NOT NULL,
  at INTEGER NOT NULL,
  min REAL NOT NULL,
  max REAL NOT NULL,
  mean REAL NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (series, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE energy_counters (
  device INTEGER PRIMARY KEY,
  mwh INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE energy_quarters (
  device INTEGER NOT NULL,
  at INTEGER NOT NULL,
  mwh INTEGER NOT NULL,
  PRIMARY KEY (device, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE energy_days (
  gen INTEGER NOT NULL,
  device INTEGER NOT NULL,
  day INTEGER NOT NULL,
  price INTEGER NOT NULL,
  mwh INTEGER NOT NULL,
  PRIMARY KEY (gen, device, day, price)
) STRICT, WITHOUT ROWID;

CREATE TABLE energy_months (
  gen INTEGER NOT NULL,
  device INTEGER NOT NULL,
  month INTEGER NOT NULL,
  price INTEGER NOT NULL,
  mwh INTEGER NOT NULL,
  PRIMARY KEY (gen, device, month, price)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  device INTEGER NOT NULL,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  as_of INTEGER NOT NULL,
  PRIMARY KEY (device, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE unit_schedules (
  unit INTEGER PRIMARY KEY,
  schedules TEXT NOT NULL,
  as_of INTEGER NOT NULL
) STRICT;

CREATE INDEX activity_by_cause ON activity (cause);

CREATE TABLE last_readings (
  device INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (device, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE unit_identities (
  unit INTEGER PRIMARY KEY,
  identity TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;

CREATE TABLE energy_jumps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  mwh INTEGER NOT NULL
) STRICT;

CREATE TABLE energy_corrections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  device INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  mwh INTEGER NOT NULL,
  by TEXT NOT NULL
) STRICT;

CREATE TABLE energy_corrected (
  correction INTEGER NOT NULL,
  device INTEGER NOT NULL,
  grain TEXT NOT NULL,
  key INTEGER NOT NULL,
  price INTEGER NOT NULL,
  mwh INTEGER NOT NULL,
  PRIMARY KEY (correction, device, grain, key, price)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_places (
  device INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  room TEXT,
  at INTEGER NOT NULL
) STRICT;

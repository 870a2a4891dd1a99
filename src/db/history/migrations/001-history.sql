-- What happened: activity, detections, readings, energy. It may be lost without the home being lost. Times are epoch ms.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Everything that rows are about, once: `home`, `device:hall-light`, `scene:evening` ...
CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE
) STRICT;

-- Cause chains as JSON, once each: they hold no times, so there are few.
CREATE TABLE causes (
  id INTEGER PRIMARY KEY,
  cause TEXT NOT NULL UNIQUE
) STRICT;

-- `id` is the time in ms * 1024 + the place within that ms: the table is ordered by time, and so is every index over it,
-- without a column or an index of its own for the time.
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

-- Rows of core.db's outbox that are stored here but may still stand there.
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

-- One reading of one unit: temperature of `hall-sensor`.
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

-- The units' own counters as last seen, in mWh.
CREATE TABLE energy_counters (
  device INTEGER PRIMARY KEY,
  mwh INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- Energy by quarter of an hour: every time zone's hours and days begin on one. Quarters without energy have no row.
CREATE TABLE energy_quarters (
  device INTEGER NOT NULL,
  at INTEGER NOT NULL,
  mwh INTEGER NOT NULL,
  PRIMARY KEY (device, at)
) STRICT, WITHOUT ROWID;

-- Sums by local day (YYYYMMDD) and month (YYYYMM), split by price (millionths of the currency per kWh, -1 unknown).
-- `gen`: a new set is made beside the old one when the time zone or the tariff changes.
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

-- What the units last confirmed of their settings and their own schedules: a cache that outlives a restart.
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

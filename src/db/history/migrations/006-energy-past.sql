-- Jumps of counters that wait for an administrator's answer. Ids are never used again.
CREATE TABLE energy_jumps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  mwh INTEGER NOT NULL
) STRICT;

-- Corrections of the sums, and the energy that each took out: to undo it. `key` is the start of a quarter of an hour, or
-- a local day (YYYYMMDD) that had no quarters any more.
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

-- Name and room that each device has, or had when it left the house.
CREATE TABLE device_places (
  device INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  room TEXT,
  at INTEGER NOT NULL
) STRICT;

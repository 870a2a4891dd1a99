-- Messages of the home for people, and the daily time without normal ones.
CREATE TABLE messages (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- Epoch ms, as all times here.
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  urgency TEXT NOT NULL,
  recipients TEXT NOT NULL,
  title TEXT NOT NULL,
  device TEXT,
  go TEXT,
  -- JSON: devices and scenes that a recipient must see.
  subjects TEXT NOT NULL,
  ref TEXT NOT NULL,
  -- True while it may last, such as smoke; false for an event.
  lasts INTEGER NOT NULL,
  ended_at INTEGER,
  acknowledged_at INTEGER,
  acknowledged_by TEXT,
  notices INTEGER NOT NULL,
  next_at INTEGER
) STRICT;

ALTER TABLE home ADD COLUMN quiet_from TEXT;
ALTER TABLE home ADD COLUMN quiet_until TEXT;

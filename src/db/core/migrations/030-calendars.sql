-- Calendars of the home.
CREATE TABLE calendars (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- JSON: dates, the text of a file, or an address.
  source TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT;

-- Events of a calendar around today, as they were read last.
CREATE TABLE calendar_readings (
  calendar TEXT PRIMARY KEY REFERENCES calendars (id) ON DELETE CASCADE,
  -- The last good answer of an address.
  text TEXT,
  -- JSON.
  events TEXT NOT NULL,
  zone TEXT NOT NULL,
  -- Epoch ms, as all times here.
  read_at INTEGER NOT NULL,
  expanded_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

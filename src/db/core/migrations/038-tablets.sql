-- Wall tablets: sessions of a record without a person, and its PIN for openings.
ALTER TABLE console_sessions ADD COLUMN integration TEXT REFERENCES integrations (id) ON DELETE CASCADE;

CREATE TABLE tablet_pins (
  integration TEXT PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  pin TEXT NOT NULL,
  -- Since the last correct PIN or the last rest.
  tries INTEGER NOT NULL,
  steady_rests_until INTEGER NOT NULL
) STRICT;

-- Modes that an administrator added or renamed.
CREATE TABLE modes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE held_mode (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  mode TEXT NOT NULL,
  -- Epoch ms.
  since INTEGER NOT NULL,
  -- End of a temporary mode in epoch ms, and the mode that returns then.
  until INTEGER,
  previous TEXT,
  cause TEXT NOT NULL
) STRICT;

-- What a restart must not forgive or forget of agents. Times are steady time in ms.

-- How often three wrong codes declined a call of a credential since a person confirmed one, and until when none of its codes is looked at.
CREATE TABLE guess_waits (
  link TEXT PRIMARY KEY REFERENCES credentials (link) ON DELETE CASCADE,
  declines INTEGER NOT NULL,
  steady_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The place that an administrator keeps for one request, and the requests that took one.
CREATE TABLE pairing_place (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  source TEXT NOT NULL,
  steady_until INTEGER NOT NULL
) STRICT;
CREATE TABLE pairing_placed (
  request TEXT PRIMARY KEY REFERENCES agent_requests (request) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

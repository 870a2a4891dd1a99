-- Agents: how they ask for access, what a person confirms for them, and the time that credentials age by.

-- Ages are counted in steady time (src/auth/steady-time.ts), which does not jump with the wall clock. It began as the wall clock's time.
ALTER TABLE credentials ADD COLUMN steady_created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE credentials ADD COLUMN steady_used_at INTEGER;
-- A session past its time stays so, whatever the clock says later.
ALTER TABLE credentials ADD COLUMN expired_at INTEGER;
UPDATE credentials SET steady_created_at = created_at, steady_used_at = last_used_at;

CREATE TABLE steady_time (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  steady INTEGER NOT NULL,
  wall INTEGER NOT NULL,
  -- The run of the machine in which it was written, and its age then in ms; null where the machine has no such id.
  boot TEXT,
  uptime INTEGER NOT NULL
) STRICT;

CREATE TABLE agent_requests (
  request TEXT PRIMARY KEY,
  user_code TEXT NOT NULL,
  code_sha256 BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  platform TEXT NOT NULL,
  record TEXT,
  hosted INTEGER NOT NULL,
  -- The scope that the agent suggests, as JSON, or null.
  suggested TEXT,
  via TEXT NOT NULL,
  peer TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  steady_asked_at INTEGER NOT NULL,
  interval_s INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'denied', 'collected')),
  -- The administrator's choice. A request of a deleted integration stays: it counts for the limits, and is answered as denied.
  integration TEXT REFERENCES integrations (id) ON DELETE SET NULL,
  kind TEXT CHECK (kind IN ('agent', 'session')),
  replaces TEXT,
  decided_by TEXT,
  steady_decided_at INTEGER
) STRICT;

CREATE TABLE pairing_blocks (
  source TEXT PRIMARY KEY,
  steady_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE confirmations (
  id TEXT PRIMARY KEY,
  link TEXT NOT NULL REFERENCES credentials (link) ON DELETE CASCADE,
  -- The one call that it is for: what is opened, and the SHA-256 of operation and arguments.
  subject TEXT NOT NULL,
  call_sha256 BLOB NOT NULL,
  op TEXT NOT NULL,
  what TEXT NOT NULL,
  -- Only administrators are shown it: whoever enters it has spoken with one.
  code TEXT NOT NULL,
  wrong_codes INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  steady_asked_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'declined')),
  decided_by TEXT,
  steady_decided_at INTEGER
) STRICT;
CREATE UNIQUE INDEX confirmations_by_call ON confirmations (link, call_sha256);

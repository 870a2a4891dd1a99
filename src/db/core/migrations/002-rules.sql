-- Automations and schedules, and what must be known of their running after a power cut. Times are epoch ms.
CREATE TABLE rules (
  kind TEXT NOT NULL CHECK (kind IN ('automation', 'schedule')),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  origin_integration TEXT,
  origin_link TEXT,
  -- What sets it off, what it asks and what it does, as one JSON object: always read and written together.
  definition TEXT NOT NULL,
  paused INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT;

-- Runs under way. The step is stored before it is made, so that no step is made twice after a crash.
CREATE TABLE rule_runs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('automation', 'schedule', 'scene')),
  rule TEXT NOT NULL,
  steps TEXT NOT NULL,
  cause TEXT NOT NULL,
  priority TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  step INTEGER NOT NULL,
  resume_at INTEGER
) STRICT;

-- Daily times that came round, whether they ran or were missed: each local date at most once. The order in which the rows were
-- made counts, not their dates: a clock that was wrong makes dates that lie in the future.
CREATE TABLE rule_claims (
  owner TEXT NOT NULL,
  slot TEXT NOT NULL,
  date TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, slot, date)
) STRICT;

-- Waiting times of triggers (`for`) that are long enough to outlive a restart.
CREATE TABLE rule_holds (
  owner TEXT NOT NULL,
  slot TEXT NOT NULL,
  since INTEGER NOT NULL,
  fired INTEGER NOT NULL,
  PRIMARY KEY (owner, slot)
) STRICT, WITHOUT ROWID;

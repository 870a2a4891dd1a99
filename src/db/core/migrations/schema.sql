-- Made of the migrations by npm run docs:generate.

CREATE TABLE home (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  serial TEXT NOT NULL,
  name TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  latitude REAL,
  longitude REAL,
  currency TEXT NOT NULL,
  -- Whether the first integration was made: it is made once, also when the very first start failed half-way.
  welcomed INTEGER NOT NULL DEFAULT 0
, quiet_from TEXT, quiet_until TEXT) STRICT;

CREATE TABLE floors (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE rooms (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  floor TEXT REFERENCES floors (id) ON DELETE SET NULL,
  position INTEGER NOT NULL
) STRICT;

CREATE TABLE units (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  address INTEGER NOT NULL UNIQUE,
  model TEXT,
  class TEXT NOT NULL,
  room TEXT REFERENCES rooms (id) ON DELETE SET NULL,
  position INTEGER NOT NULL
, light INTEGER) STRICT;

CREATE TABLE gangs (
  unit TEXT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
  gang INTEGER NOT NULL,
  name TEXT NOT NULL,
  class TEXT NOT NULL,
  room TEXT REFERENCES rooms (id) ON DELETE SET NULL, light INTEGER,
  PRIMARY KEY (unit, gang)
) STRICT, WITHOUT ROWID;

CREATE TABLE scenes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  floor TEXT REFERENCES floors (id) ON DELETE SET NULL,
  room TEXT REFERENCES rooms (id) ON DELETE SET NULL,
  steps TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Whom the latest edits concern, as JSON.
  edits TEXT NOT NULL,
  origin_integration TEXT,
  origin_link TEXT,
  position INTEGER NOT NULL
, author_integration TEXT, author_link TEXT) STRICT;

CREATE TABLE integrations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  expose TEXT NOT NULL CHECK (expose IN ('All', 'Selected')),
  -- The eight knobs of Spec 2.1 as one JSON object: they are always read and written together.
  knobs TEXT NOT NULL,
  created_at INTEGER NOT NULL
, people TEXT NOT NULL DEFAULT 'none', reports TEXT NOT NULL DEFAULT '[]', until INTEGER, hours TEXT NOT NULL DEFAULT '[]', kind TEXT NOT NULL DEFAULT 'programs', opening TEXT NOT NULL DEFAULT 'yes') STRICT;

CREATE TABLE credentials (
  link TEXT PRIMARY KEY,
  integration TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('key', 'agent', 'session')),
  name TEXT NOT NULL,
  platform TEXT NOT NULL,
  secret_sha256 BLOB,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER,
  last_used_via TEXT
, steady_created_at INTEGER NOT NULL DEFAULT 0, steady_used_at INTEGER, expired_at INTEGER, hosted_client TEXT, redirect_host TEXT, door TEXT, account TEXT) STRICT;

CREATE INDEX credentials_by_integration ON credentials (integration);

CREATE TABLE activity_outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  draft TEXT NOT NULL
) STRICT;

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
  changed_at INTEGER NOT NULL, author_integration TEXT, author_link TEXT,
  PRIMARY KEY (kind, id)
) STRICT;

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
, principals TEXT NOT NULL DEFAULT '[{"integration":"","link":""}]', failures TEXT NOT NULL DEFAULT '[]', place TEXT, trigger TEXT) STRICT;

CREATE TABLE rule_claims (
  owner TEXT NOT NULL,
  slot TEXT NOT NULL,
  date TEXT NOT NULL,
  at INTEGER NOT NULL, missed INTEGER NOT NULL DEFAULT 0, steady_at INTEGER,
  PRIMARY KEY (owner, slot, date)
) STRICT;

CREATE TABLE rule_holds (
  owner TEXT NOT NULL,
  slot TEXT NOT NULL,
  since INTEGER NOT NULL,
  fired INTEGER NOT NULL, cause TEXT,
  PRIMARY KEY (owner, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE tariff (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  content TEXT NOT NULL
) STRICT;

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
  code_sha256 BLOB UNIQUE,
  name TEXT NOT NULL,
  platform TEXT NOT NULL,
  record TEXT,
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
, handed_out TEXT, challenge BLOB, hosted_client TEXT, redirect_host TEXT, door TEXT, account TEXT) STRICT;

CREATE TABLE pairing_blocks (
  source TEXT PRIMARY KEY,
  steady_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  what TEXT NOT NULL
) STRICT;

CREATE TABLE hosted_tokens (
  sha256 BLOB PRIMARY KEY,
  link TEXT NOT NULL REFERENCES credentials (link) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  generation INTEGER NOT NULL,
  steady_made_at INTEGER NOT NULL,
  -- Of a refresh token: when it was first used.
  steady_used_at INTEGER
) STRICT;

CREATE INDEX hosted_tokens_by_link ON hosted_tokens (link);

CREATE TABLE pairing_place (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  source TEXT NOT NULL,
  steady_until INTEGER NOT NULL
) STRICT;

CREATE TABLE pairing_placed (
  request TEXT PRIMARY KEY REFERENCES agent_requests (request) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE persons (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  -- Argon2id with its salt and costs; null of those who have only a passkey, or came in by a one-time link.
  password TEXT,
  created_at INTEGER NOT NULL
, integration TEXT REFERENCES integrations (id) ON DELETE CASCADE, two_factors INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE console_sessions (
  id TEXT PRIMARY KEY,
  person TEXT REFERENCES persons (id) ON DELETE CASCADE,
  cookie_sha256 BLOB NOT NULL UNIQUE,
  half_sha256 BLOB NOT NULL,
  own_device INTEGER NOT NULL,
  browser TEXT NOT NULL,
  peer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  steady_created_at INTEGER NOT NULL,
  steady_used_at INTEGER NOT NULL,
  steady_proved_at INTEGER NOT NULL
, maker_session TEXT, maker_person TEXT, integration TEXT REFERENCES integrations (id) ON DELETE CASCADE) STRICT, WITHOUT ROWID;

CREATE TABLE "idempotency_keys" (
  link TEXT NOT NULL,
  key TEXT NOT NULL,
  request_sha256 BLOB NOT NULL,
  steady_at INTEGER NOT NULL,
  status INTEGER,
  -- As JSON.
  headers TEXT,
  body TEXT,
  PRIMARY KEY (link, key)
) STRICT;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (link, steady_at);

CREATE TRIGGER keyed_writes_of_credential AFTER DELETE ON credentials BEGIN
  DELETE FROM idempotency_keys WHERE link = old.link;
END;

CREATE TRIGGER keyed_writes_of_session AFTER DELETE ON console_sessions BEGIN
  DELETE FROM idempotency_keys WHERE link = old.id;
END;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- At which name of the gateway it works.
  site TEXT NOT NULL,
  -- As its authenticator calls it, base64url.
  credential TEXT NOT NULL UNIQUE,
  -- COSE (RFC 9052).
  public_key BLOB NOT NULL,
  -- How often it was used, by its authenticator's own count; many always say 0.
  counter INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE operators (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- Words with a blank between them.
  scopes TEXT NOT NULL,
  secret_sha256 BLOB NOT NULL,
  -- Epoch ms.
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE doubts (
  integration TEXT PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  incident INTEGER NOT NULL REFERENCES incidents (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_session_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key BLOB NOT NULL
) STRICT;

CREATE TABLE ended_agent_sessions (
  id INTEGER PRIMARY KEY,
  link TEXT NOT NULL REFERENCES credentials (link) ON DELETE CASCADE,
  nonce TEXT NOT NULL,
  UNIQUE (link, nonce)
) STRICT;

CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  members TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Whom the latest edits concern, as JSON.
  edits TEXT NOT NULL,
  origin_integration TEXT,
  origin_link TEXT,
  position INTEGER NOT NULL
, author_integration TEXT, author_link TEXT) STRICT;

CREATE TABLE "picks" (
  integration TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  gang INTEGER NOT NULL DEFAULT -1,
  PRIMARY KEY (integration, kind, id, gang)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  format TEXT NOT NULL,
  least TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- Epoch ms, as all times here.
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE presence (
  person TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  -- Epoch ms.
  since INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER presence_of_person AFTER DELETE ON persons BEGIN
  DELETE FROM presence WHERE person = old.id;
END;

CREATE TABLE rule_switch_ends (
  -- automation:ID or schedule:ID
  rule TEXT PRIMARY KEY,
  -- Its state from then on.
  enabled INTEGER NOT NULL,
  -- Epoch ms.
  until INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE calendars (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- JSON: dates, the text of a file, or an address.
  source TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT;

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
, left_out TEXT NOT NULL DEFAULT '[]') STRICT;

CREATE TABLE ended_revisions (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT;

CREATE TRIGGER scene_ended AFTER DELETE ON scenes BEGIN
  INSERT INTO ended_revisions (kind, id, revision) VALUES ('scene', old.id, old.revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = max(revision, excluded.revision);
END;

CREATE TRIGGER group_ended AFTER DELETE ON device_groups BEGIN
  INSERT INTO ended_revisions (kind, id, revision) VALUES ('group', old.id, old.revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = max(revision, excluded.revision);
END;

CREATE TRIGGER rule_ended AFTER DELETE ON rules BEGIN
  INSERT INTO ended_revisions (kind, id, revision) VALUES (old.kind, old.id, old.revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = max(revision, excluded.revision);
END;

CREATE TABLE push_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  private_key BLOB NOT NULL
) STRICT;

CREATE TABLE push_subscriptions (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL REFERENCES persons (id) ON DELETE CASCADE,
  -- The session that made it; it may have expired since.
  session TEXT NOT NULL,
  browser TEXT NOT NULL,
  endpoint TEXT NOT NULL UNIQUE,
  p256dh BLOB NOT NULL,
  auth BLOB NOT NULL,
  names INTEGER NOT NULL,
  -- Epoch ms.
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  webhook TEXT REFERENCES webhooks (id) ON DELETE CASCADE,
  push TEXT REFERENCES push_subscriptions (id) ON DELETE CASCADE,
  message TEXT NOT NULL,
  -- JSON: the message as it was, and the number of its repetitions.
  notice TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  error TEXT,
  CHECK ((webhook IS NULL) <> (push IS NULL))
) STRICT;

CREATE TABLE "confirmations" (
  id TEXT PRIMARY KEY,
  -- A credential, or the record of a person.
  link TEXT NOT NULL,
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

CREATE TABLE "guess_waits" (
  link TEXT PRIMARY KEY,
  declines INTEGER NOT NULL,
  steady_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER asked_by_credential AFTER DELETE ON credentials BEGIN
  DELETE FROM confirmations WHERE link = old.link;
  DELETE FROM guess_waits WHERE link = old.link;
END;

CREATE TRIGGER asked_by_member AFTER DELETE ON integrations BEGIN
  DELETE FROM confirmations WHERE link = old.id;
  DELETE FROM guess_waits WHERE link = old.id;
END;

CREATE TABLE tablet_pins (
  integration TEXT PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  pin TEXT NOT NULL,
  -- Since the last correct PIN or the last rest.
  tries INTEGER NOT NULL,
  steady_rests_until INTEGER NOT NULL
) STRICT;

-- Members of the home: persons with a record of their own. A person without one is an administrator.
ALTER TABLE integrations ADD COLUMN kind TEXT NOT NULL DEFAULT 'programs';
-- With `ask`, an administrator confirms each opening.
ALTER TABLE integrations ADD COLUMN opening TEXT NOT NULL DEFAULT 'yes';
ALTER TABLE persons ADD COLUMN integration TEXT REFERENCES integrations (id) ON DELETE CASCADE;

-- Members ask for confirmations too, by the id of their record.
CREATE TABLE asked_confirmations (
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
INSERT INTO asked_confirmations
  SELECT id, link, subject, call_sha256, op, what, code, wrong_codes, asked_at, steady_asked_at, state, decided_by,
    steady_decided_at FROM confirmations;
DROP TABLE confirmations;
ALTER TABLE asked_confirmations RENAME TO confirmations;
CREATE UNIQUE INDEX confirmations_by_call ON confirmations (link, call_sha256);
CREATE TABLE waits_after_guesses (
  link TEXT PRIMARY KEY,
  declines INTEGER NOT NULL,
  steady_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO waits_after_guesses SELECT link, declines, steady_until FROM guess_waits;
DROP TABLE guess_waits;
ALTER TABLE waits_after_guesses RENAME TO guess_waits;
CREATE TRIGGER asked_by_credential AFTER DELETE ON credentials BEGIN
  DELETE FROM confirmations WHERE link = old.link;
  DELETE FROM guess_waits WHERE link = old.link;
END;
CREATE TRIGGER asked_by_member AFTER DELETE ON integrations BEGIN
  DELETE FROM confirmations WHERE link = old.id;
  DELETE FROM guess_waits WHERE link = old.id;
END;

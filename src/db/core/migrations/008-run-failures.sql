-- What of a run did not succeed so far, as JSON: told with the rest of it after a restart.
ALTER TABLE rule_runs ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';

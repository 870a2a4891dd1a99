-- Whether a time that came round was too late to run, and when it came by steady time: by these a date that a wrong clock
-- brought is told from the day itself. Null: not known.
ALTER TABLE rule_claims ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rule_claims ADD COLUMN steady_at INTEGER;

-- Whether a new browser needs a code of a signed-in one beside the password.
ALTER TABLE persons ADD COLUMN two_factors INTEGER NOT NULL DEFAULT 0;

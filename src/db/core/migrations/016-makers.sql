-- By whose link a session began: it ends with that session and that person. Null: by no link of a session.
ALTER TABLE console_sessions ADD COLUMN maker_session TEXT;
ALTER TABLE console_sessions ADD COLUMN maker_person TEXT;

-- The cause of a hold's begin, as JSON: it decides about openings after a restart. Null: unknown.
ALTER TABLE rule_holds ADD COLUMN cause TEXT;

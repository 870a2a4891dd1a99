-- A cause goes with the last entry that has it: an index finds the entries of a cause.
CREATE INDEX activity_by_cause ON activity (cause);
DELETE FROM causes WHERE NOT EXISTS (SELECT 1 FROM activity WHERE activity.cause = causes.id);

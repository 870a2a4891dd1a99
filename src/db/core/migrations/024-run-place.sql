-- Where a run is inside its steps, as JSON: path, rounds, performed steps and time. Null: the step alone says it.
ALTER TABLE rule_runs ADD COLUMN place TEXT;

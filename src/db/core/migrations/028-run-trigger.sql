-- The trigger of a run that sends messages, as JSON: its device, its value and the things that the rule names.
ALTER TABLE rule_runs ADD COLUMN trigger TEXT;

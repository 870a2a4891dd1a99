-- Events that the last reading of a calendar left out, JSON.
ALTER TABLE calendar_readings ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]';

-- The end of an integration (epoch ms), and the hours of the week in which it is served: JSON, empty for always.
ALTER TABLE integrations ADD COLUMN until INTEGER;
ALTER TABLE integrations ADD COLUMN hours TEXT NOT NULL DEFAULT '[]';

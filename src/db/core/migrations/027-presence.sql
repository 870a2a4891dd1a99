-- The last reported presence of persons, and that of `anyone`.
CREATE TABLE presence (
  person TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  -- Epoch ms.
  since INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER presence_of_person AFTER DELETE ON persons BEGIN
  DELETE FROM presence WHERE person = old.id;
END;

-- Visibility of people for an integration, and the ids of persons whose presence it reports, as JSON.
ALTER TABLE integrations ADD COLUMN people TEXT NOT NULL DEFAULT 'none';
ALTER TABLE integrations ADD COLUMN reports TEXT NOT NULL DEFAULT '[]';

-- The last revision of each removed scene, group and rule: one that comes back under its id continues from it.
CREATE TABLE ended_revisions (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT;

CREATE TRIGGER scene_ended AFTER DELETE ON scenes BEGIN
  INSERT INTO ended_revisions (kind, id, revision) VALUES ('scene', old.id, old.revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = max(revision, excluded.revision);
END;

CREATE TRIGGER group_ended AFTER DELETE ON device_groups BEGIN
  INSERT INTO ended_revisions (kind, id, revision) VALUES ('group', old.id, old.revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = max(revision, excluded.revision);
END;

CREATE TRIGGER rule_ended AFTER DELETE ON rules BEGIN
  INSERT INTO ended_revisions (kind, id, revision) VALUES (old.kind, old.id, old.revision)
    ON CONFLICT (kind, id) DO UPDATE SET revision = max(revision, excluded.revision);
END;

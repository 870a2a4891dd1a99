-- Who answers for what a scene or rule opens: the credential that saved it last, or nobody where an administrator did. What was
-- saved before is its creator's.
ALTER TABLE scenes ADD COLUMN author_integration TEXT;
ALTER TABLE scenes ADD COLUMN author_link TEXT;
UPDATE scenes SET author_integration = origin_integration, author_link = origin_link;

ALTER TABLE rules ADD COLUMN author_integration TEXT;
ALTER TABLE rules ADD COLUMN author_link TEXT;
UPDATE rules SET author_integration = origin_integration, author_link = origin_link;

-- All on whose authority a run opens, as a JSON array. A run of a scene that is under way now was asked for by nobody that is
-- known, so it opens nothing more.
ALTER TABLE rule_runs ADD COLUMN principals TEXT NOT NULL DEFAULT '[{"integration":"","link":""}]';
UPDATE rule_runs SET principals = (SELECT CASE WHEN author_integration IS NULL THEN '[]'
    ELSE json_array(json_object('integration', author_integration, 'link', author_link)) END
  FROM rules WHERE rules.kind = rule_runs.kind AND rules.id = rule_runs.rule)
  WHERE EXISTS (SELECT 1 FROM rules WHERE rules.kind = rule_runs.kind AND rules.id = rule_runs.rule);

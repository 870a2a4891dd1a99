-- The latest to change the members of a group, who answers for openings of rules that name it. Null: an administrator.
ALTER TABLE device_groups ADD COLUMN author_integration TEXT;
ALTER TABLE device_groups ADD COLUMN author_link TEXT;
UPDATE device_groups SET author_integration = origin_integration, author_link = origin_link;

-- Whom the edits of a scene concern, counted by the devices instead of one entry an edit, as JSON.
UPDATE scenes SET edits = json_insert(
  (SELECT json_group_array(json_object('devices', json(value), 'count', edits_of)) FROM
    (SELECT value, count(*) AS edits_of FROM json_each(scenes.edits) WHERE type = 'array' GROUP BY value)),
  '$[#]', json('{"devices":null,"count":1}'));

-- The value of each reading that holds until the unit reports another one, however long ago that was.
CREATE TABLE last_readings (
  device INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (device, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO last_readings (device, kind, at, value)
SELECT s.unit, s.kind, r.at, r.value FROM series s
JOIN readings_raw r ON r.series = s.id AND r.at = (SELECT max(at) FROM readings_raw WHERE series = s.id);
-- Alarms were detections only until now.
INSERT INTO last_readings (device, kind, at, value)
SELECT unit, kind, max(at), value FROM detections WHERE kind IN ('smoke', 'water', 'tamper') GROUP BY unit, kind;

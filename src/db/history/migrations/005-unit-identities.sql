-- Which physical unit each id of the house named last, and since when: what was stored before is about another unit.
CREATE TABLE unit_identities (
  unit INTEGER PRIMARY KEY,
  identity TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;

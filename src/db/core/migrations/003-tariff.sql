-- What electricity costs, as the administrator's file said it.
CREATE TABLE tariff (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  content TEXT NOT NULL
) STRICT;

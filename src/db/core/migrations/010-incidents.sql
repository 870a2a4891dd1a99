-- What befell the configuration, until an administrator has taken note of it. Times are epoch ms.
CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  what TEXT NOT NULL
) STRICT;

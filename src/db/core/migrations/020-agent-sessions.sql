-- The key of the MAC in ids of MCP sessions, and the sessions that their clients ended.
CREATE TABLE agent_session_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key BLOB NOT NULL
) STRICT;

CREATE TABLE ended_agent_sessions (
  id INTEGER PRIMARY KEY,
  link TEXT NOT NULL REFERENCES credentials (link) ON DELETE CASCADE,
  nonce TEXT NOT NULL,
  UNIQUE (link, nonce)
) STRICT;

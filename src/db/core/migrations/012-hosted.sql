-- Agents on hosted platforms, which come through the relay by OAuth: their requests, their credentials and the tokens of these.

-- The OAuth client, as the relay told of it; null of every other agent. What redeems such a request is the verifier of a challenge, not a code.
ALTER TABLE agent_requests ALTER COLUMN code_sha256 DROP NOT NULL;
ALTER TABLE agent_requests ADD COLUMN challenge BLOB;
ALTER TABLE agent_requests ADD COLUMN hosted_client TEXT;
ALTER TABLE agent_requests ADD COLUMN redirect_host TEXT;
ALTER TABLE agent_requests ADD COLUMN door TEXT;
ALTER TABLE agent_requests ADD COLUMN account TEXT;
ALTER TABLE agent_requests DROP COLUMN hosted;

-- A credential of a hosted platform has no secret of its own, but the tokens below.
ALTER TABLE credentials ALTER COLUMN secret_sha256 DROP NOT NULL;
ALTER TABLE credentials ADD COLUMN hosted_client TEXT;
ALTER TABLE credentials ADD COLUMN redirect_host TEXT;
ALTER TABLE credentials ADD COLUMN door TEXT;
ALTER TABLE credentials ADD COLUMN account TEXT;

-- Times are steady time in ms.
CREATE TABLE hosted_tokens (
  sha256 BLOB PRIMARY KEY,
  link TEXT NOT NULL REFERENCES credentials (link) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  generation INTEGER NOT NULL,
  steady_made_at INTEGER NOT NULL,
  -- Of a refresh token: when it was first used.
  steady_used_at INTEGER
) STRICT;
CREATE INDEX hosted_tokens_by_link ON hosted_tokens (link);

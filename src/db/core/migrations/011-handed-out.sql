-- The link of the credential whose token was sent moments ago, which a crash may have lost; null once it has surely arrived.
ALTER TABLE agent_requests ADD COLUMN handed_out TEXT;

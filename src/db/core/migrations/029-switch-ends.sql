-- Ends of temporary switches of rules.
CREATE TABLE rule_switch_ends (
  -- automation:ID or schedule:ID
  rule TEXT PRIMARY KEY,
  -- Its state from then on.
  enabled INTEGER NOT NULL,
  -- Epoch ms.
  until INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT, WITHOUT ROWID;

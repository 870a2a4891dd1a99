-- Whether a switch feeds a lamp, where the administrator said so: 1 yes, 0 something else, NULL where nobody said.
ALTER TABLE units ADD COLUMN light INTEGER;
ALTER TABLE gangs ADD COLUMN light INTEGER;

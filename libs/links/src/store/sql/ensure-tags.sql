-- In name order, so that two creations cannot wait for each other.
INSERT INTO tags (name)
SELECT name FROM unnest($1::text[]) AS given (name) ORDER BY name COLLATE "C"
ON CONFLICT (name) DO NOTHING

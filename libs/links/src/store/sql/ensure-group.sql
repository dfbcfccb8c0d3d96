INSERT INTO groups (id, name) VALUES ($1, $1) ON CONFLICT (id) DO NOTHING

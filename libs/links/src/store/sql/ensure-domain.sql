INSERT INTO domains (authority) VALUES ($1) ON CONFLICT (authority) DO NOTHING

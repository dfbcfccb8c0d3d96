UPDATE users SET password_hash = substr(password_hash, 2) WHERE password_hash LIKE '!$argon2id$%';

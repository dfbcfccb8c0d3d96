SELECT authority, is_default FROM domains

SELECT authority FROM domains ORDER BY id

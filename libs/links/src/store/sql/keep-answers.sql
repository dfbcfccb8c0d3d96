-- $1 whose they are, $2 keys, $3 what was answered, $4 how many links each answer is about.
UPDATE idempotency_keys AS kept SET answer = given.answer, results = given.results
FROM unnest($2::text[], $3::text[], $4::integer[]) AS given (key, answer, results)
WHERE /* whose */ = $1 AND kept.key = given.key

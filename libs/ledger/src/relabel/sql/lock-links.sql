-- No purge of them begins, and none of them gets another domain, before the end of the transaction.
SELECT FROM links WHERE id IN (SELECT link_id FROM moves) ORDER BY id FOR SHARE

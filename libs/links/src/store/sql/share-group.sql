-- $1 group: whether it exists; it stays until the end of the transaction.
SELECT id FROM groups WHERE id = $1 FOR KEY SHARE

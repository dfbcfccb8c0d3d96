ALTER TABLE ledger_incarnation DROP COLUMN first_incarnation;
DROP TABLE ledger_cluster;

-- $1 end of the month being dropped. Ids of purged visits are kept as long as the ledger of their time.
DELETE FROM purged_visits WHERE occurred_at < $1::timestamptz

-- Month partitions of the ledger around now; says how many were new.
SELECT create_visit_partitions(now() - interval '2 months', now() + interval '2 months') AS created

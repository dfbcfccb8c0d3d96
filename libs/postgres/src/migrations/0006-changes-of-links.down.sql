-- Of what is still to be read: any hour, so that the job of the version before takes the totals of all links named.
UPDATE link_changes SET hours = array_fill(date_trunc('hour', now()), ARRAY[cardinality(link_ids)]) WHERE hours IS NULL;
ALTER TABLE link_changes ALTER COLUMN hours SET NOT NULL;

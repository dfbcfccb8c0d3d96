DROP TRIGGER audited_update ON host_batches;
DROP TRIGGER audited_delete ON host_batches;
SELECT audit_table(
  'host_batches', 'host-batch', 'key', '{body_hash,names,counts,new_names}', '',
  $when$WHEN (coalesce(current_setting('hopcount.actor', true), '') <> '')$when$
);
DROP TRIGGER audited_insert ON host_batches;
CREATE OR REPLACE FUNCTION audit_name(thing jsonb, column_name text) RETURNS text LANGUAGE plpgsql STABLE
AS $$
BEGIN
  IF column_name = 'code' THEN
    RETURN (SELECT authority FROM domains WHERE id = (thing ->> 'domain_id')::integer) || '/' || (thing ->> 'code');
  END IF;
  RETURN left(thing ->> column_name, 2000);
END $$;
DROP INDEX host_batches_whole;
CREATE INDEX host_batches_of_new_names ON host_batches (stream, accepted_at) WHERE new_names > 0;
DROP TABLE host_feed_days;

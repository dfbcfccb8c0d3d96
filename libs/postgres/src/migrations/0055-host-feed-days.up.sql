-- What a stream fed in a day (UTC), of which it may feed so much.
CREATE TABLE host_feed_days (
  stream    text NOT NULL COLLATE "C",
  day       date NOT NULL,
  lines     bigint NOT NULL,  -- a batch 100 beside its own
  new_names bigint NOT NULL,  -- that nobody had met
  PRIMARY KEY (stream, day)
);
INSERT INTO host_feed_days (stream, day, lines, new_names)
SELECT stream, (accepted_at AT TIME ZONE 'UTC')::date, sum(lines + 100), sum(new_names)
FROM host_batches WHERE accepted_at >= now() - interval '1 day' GROUP BY 1, 2;
DROP INDEX host_batches_of_new_names;

-- Names and counts of a batch are kept as long as it can be reversed, its key longer.
CREATE INDEX host_batches_whole ON host_batches (settled_at) WHERE names IS NOT NULL;

-- Two streams may use the same keys.
CREATE OR REPLACE FUNCTION audit_name(thing jsonb, column_name text) RETURNS text LANGUAGE plpgsql STABLE
AS $$
BEGIN
  IF column_name = 'code' THEN
    RETURN (SELECT authority FROM domains WHERE id = (thing ->> 'domain_id')::integer) || '/' || (thing ->> 'code');
  ELSIF column_name = 'stream key' THEN
    RETURN (thing ->> 'stream') || ' ' || (thing ->> 'key');
  END IF;
  RETURN left(thing ->> column_name, 2000);
END $$;
DROP TRIGGER audited_update ON host_batches;
DROP TRIGGER audited_delete ON host_batches;
SELECT audit_table(
  'host_batches', 'host-batch', 'stream key', '{body_hash,names,counts,new_names}', '',
  $when$WHEN (coalesce(current_setting('hopcount.actor', true), '') <> '')$when$
);
DROP TRIGGER audited_insert ON host_batches;

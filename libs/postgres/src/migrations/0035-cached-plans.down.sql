-- As 0001 and 0019 made them.
CREATE OR REPLACE FUNCTION audit_name(thing jsonb, column_name text) RETURNS text LANGUAGE sql STABLE
AS $$
  SELECT CASE column_name
    WHEN 'code' THEN (SELECT authority FROM domains WHERE id = (thing ->> 'domain_id')::integer) || '/' || (thing ->> 'code')
    ELSE left(thing ->> column_name, 2000)
  END
$$;

CREATE OR REPLACE FUNCTION audit_secrets(relation oid) RETURNS text[] LANGUAGE sql STABLE
AS $$
  SELECT array_agg(attname::text) FROM pg_attribute
  WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attname ~ '(hash|secret|password|token|totp|recovery)'
$$;

CREATE OR REPLACE FUNCTION audit_shown(thing jsonb, secrets text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN pg_column_size(thing) <= 4000 AND NOT coalesce(thing ?| secrets, false) THEN thing
    ELSE (
      SELECT jsonb_object_agg(key, CASE
        WHEN key = ANY (secrets) AND value <> 'null' THEN '"(secret)"'
        WHEN length(value::text) > 4000 THEN to_jsonb(left(value::text, 4000) || '…')
        ELSE value
      END)
      FROM jsonb_each(thing)
    )
  END
$$;

CREATE OR REPLACE FUNCTION add_to_link_counts(domain_ids integer[], step integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_counts AS kept (domain_id, slot, links)
  SELECT domain_id, pg_backend_pid() % 16, count(*) * step FROM unnest(domain_ids) AS changed (domain_id)
  GROUP BY domain_id ORDER BY domain_id
  ON CONFLICT (domain_id, slot) DO UPDATE SET links = kept.links + excluded.links
$$;

-- What triggers of links call: PostgreSQL plans the body of a function in SQL anew in every transaction, which cost a creation
-- more than its inserts; that of one in PL/pgSQL once a connection. They do what they did.
CREATE OR REPLACE FUNCTION audit_name(thing jsonb, column_name text) RETURNS text LANGUAGE plpgsql STABLE
AS $$
BEGIN
  IF column_name = 'code' THEN
    RETURN (SELECT authority FROM domains WHERE id = (thing ->> 'domain_id')::integer) || '/' || (thing ->> 'code');
  END IF;
  RETURN left(thing ->> column_name, 2000);
END $$;

CREATE OR REPLACE FUNCTION audit_secrets(relation oid) RETURNS text[] LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN (
    SELECT array_agg(attname::text) FROM pg_attribute
    WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attname ~ '(hash|secret|password|token|totp|recovery)'
  );
END $$;

CREATE OR REPLACE FUNCTION audit_shown(thing jsonb, secrets text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  IF pg_column_size(thing) <= 4000 AND NOT coalesce(thing ?| secrets, false) THEN
    RETURN thing;
  END IF;
  RETURN (
    SELECT jsonb_object_agg(key, CASE
      WHEN key = ANY (secrets) AND value <> 'null' THEN '"(secret)"'
      WHEN length(value::text) > 4000 THEN to_jsonb(left(value::text, 4000) || '…')
      ELSE value
    END)
    FROM jsonb_each(thing)
  );
END $$;

CREATE OR REPLACE FUNCTION add_to_link_counts(domain_ids integer[], step integer) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO link_counts AS kept (domain_id, slot, links)
  SELECT changed.domain_id, pg_backend_pid() % 16, count(*) * step FROM unnest(domain_ids) AS changed (domain_id)
  GROUP BY changed.domain_id ORDER BY changed.domain_id
  ON CONFLICT ON CONSTRAINT link_counts_pkey DO UPDATE SET links = kept.links + excluded.links;
END $$;

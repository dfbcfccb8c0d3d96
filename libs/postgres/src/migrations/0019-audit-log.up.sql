-- Who changed what. Triggers write a row for each thing that a statement changes, in its transaction: there is no change
-- without its row and no row without its change. Who acts is said by the setting hopcount.actor of the transaction (requests) or
-- of the session (commands); without it, it is the program that is connected.
CREATE TABLE audit_log (
  at      timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),  -- when its transaction began
  id      bigint GENERATED ALWAYS AS IDENTITY,
  actor   jsonb NOT NULL,                 -- kind, id, name, address, operation, requestId
  kind    text COLLATE "C" NOT NULL,      -- of the thing
  action  text COLLATE "C" NOT NULL,
  object  text COLLATE "C",               -- what people call it; null: several, or it has no name
  objects integer NOT NULL DEFAULT 1,     -- more than one: of a statement that changed more than a thousand, one row
  before  jsonb,                          -- of an edit before and after have what differs, by column
  after   jsonb,
  CONSTRAINT audit_log_pkey PRIMARY KEY (at, id)
);
CREATE INDEX audit_log_by_object ON audit_log (object, at, id);

CREATE FUNCTION audit_actor() RETURNS jsonb LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    nullif(current_setting('hopcount.actor', true), '')::jsonb,
    jsonb_build_object('kind', 'system', 'name', current_setting('application_name'))
  )
$$;

CREATE FUNCTION audit_name(thing jsonb, column_name text) RETURNS text LANGUAGE sql STABLE
AS $$
  SELECT CASE column_name
    WHEN 'code' THEN (SELECT authority FROM domains WHERE id = (thing ->> 'domain_id')::integer) || '/' || (thing ->> 'code')
    ELSE left(thing ->> column_name, 2000)
  END
$$;

-- Columns whose content is nobody's to see, also those that a later migration adds.
CREATE FUNCTION audit_secrets(relation oid) RETURNS text[] LANGUAGE sql STABLE
AS $$
  SELECT array_agg(attname::text) FROM pg_attribute
  WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attname ~ '(hash|secret|password|token|totp|recovery)'
$$;

-- Without secrets (that there is one is said), long values cut.
CREATE FUNCTION audit_shown(thing jsonb, secrets text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE
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

-- What an edit is called, by what differs afterwards.
CREATE FUNCTION audit_action(changed jsonb) RETURNS text LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN changed ->> 'purged_at' IS NOT NULL THEN 'purge'
    WHEN changed ->> 'deleted_at' IS NOT NULL THEN 'delete'
    WHEN changed ? 'deleted_at' THEN 'restore'
    WHEN changed ->> 'revoked_at' IS NOT NULL THEN 'revoke'
    WHEN changed ? 'purged_before' THEN 'purge-visits'
    ELSE 'edit'
  END
$$;

-- Arguments: kind, column with the name, columns that do not count, column whose change is the only edit that counts ('': any).
CREATE FUNCTION audit_changes() RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE
  who CONSTANT jsonb := audit_actor();
  named_by CONSTANT text := TG_ARGV[1];
  ignored CONSTANT text[] := TG_ARGV[2];
  ends CONSTANT text := TG_ARGV[3];
  secrets CONSTANT text[] := audit_secrets(TG_RELID);
  number integer;
  names text[];
BEGIN
  IF TG_OP = 'DELETE' THEN SELECT count(*) INTO number FROM before; ELSE SELECT count(*) INTO number FROM after; END IF;
  IF number > 1000 THEN
    IF TG_OP = 'DELETE' THEN names := ARRAY(SELECT audit_name(to_jsonb(gone), named_by) FROM before AS gone LIMIT 100);
    ELSE names := ARRAY(SELECT audit_name(to_jsonb(made), named_by) FROM after AS made LIMIT 100); END IF;
    INSERT INTO audit_log (actor, kind, action, objects, after)
    VALUES (
      who, TG_ARGV[0], CASE TG_OP WHEN 'INSERT' THEN 'create' WHEN 'DELETE' THEN 'delete' ELSE 'edit' END, number,
      jsonb_build_object('first', names)
    );
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO audit_log (actor, kind, action, object, after)
    SELECT who, TG_ARGV[0], 'create', audit_name(thing, named_by), audit_shown(jsonb_strip_nulls(thing - ignored), secrets)
    FROM after AS made, to_jsonb(made) AS thing;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audit_log (actor, kind, action, object, before)
    SELECT who, TG_ARGV[0], 'delete', audit_name(thing, named_by), audit_shown(jsonb_strip_nulls(thing - ignored), secrets)
    FROM before AS gone, to_jsonb(gone) AS thing;
  ELSIF ends <> '' THEN
    INSERT INTO audit_log (actor, kind, action, object, after)
    SELECT who, TG_ARGV[0], 'end', audit_name(thing, named_by), audit_shown(jsonb_strip_nulls(thing - ignored), secrets)
    FROM after AS made, to_jsonb(made) AS thing
    WHERE thing ->> ends IS NOT NULL
      AND EXISTS (SELECT FROM before AS was WHERE to_jsonb(was) ->> 'id' = thing ->> 'id' AND to_jsonb(was) ->> ends IS NULL);
  ELSE
    -- Brought together by grouping: a join of two transition tables, planned for one row each, is slow for a thousand.
    INSERT INTO audit_log (actor, kind, action, object, before, after)
    SELECT who, TG_ARGV[0], audit_action(parts.after), audit_name(was, named_by), audit_shown(parts.before, secrets),
      audit_shown(parts.after, secrets)
    FROM (
      SELECT (array_agg(thing) FILTER (WHERE NOT is_new))[1] AS was, (array_agg(thing) FILTER (WHERE is_new))[1] AS became
      FROM (
        SELECT to_jsonb(gone) AS thing, false AS is_new FROM before AS gone
        UNION ALL
        SELECT to_jsonb(made), true FROM after AS made
      ) AS both_sides
      GROUP BY thing ->> 'id'
    ) AS pairs
    CROSS JOIN LATERAL (
      SELECT jsonb_object_agg(key, value) AS before, jsonb_object_agg(key, became -> key) AS after
      FROM jsonb_each(was - ignored)
      WHERE value <> became -> key
        -- What was purged for good is not kept here.
        AND (became ->> 'purged_at' IS NULL OR key = 'purged_at')
    ) AS parts
    WHERE parts.after IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- Tags of links: those that a statement gave a link, or took from it. The plans of the first call are those of all; a table's
-- own order is the wrong one for a few links among millions.
CREATE FUNCTION audit_tags() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  who CONSTANT jsonb := audit_actor();
BEGIN
  INSERT INTO audit_log (actor, kind, action, object, before, after)
  SELECT who, 'link', CASE TG_OP WHEN 'INSERT' THEN 'tag' ELSE 'untag' END, authority || '/' || code,
    CASE WHEN TG_OP = 'DELETE' THEN tagged END, CASE WHEN TG_OP = 'INSERT' THEN tagged END
  FROM (
    SELECT link_id, jsonb_build_object('tags', jsonb_agg(name ORDER BY position)) AS tagged
    FROM changed JOIN tags ON tags.id = tag_id
    GROUP BY link_id
  ) AS by_link
  JOIN links ON links.id = link_id
  JOIN domains ON domains.id = domain_id;
  RETURN NULL;
END $$;

-- From here on changes of the table are in the log. `only_when`: a condition of the trigger, empty for none.
CREATE FUNCTION audit_table(relation regclass, kind text, name_column text, ignored text[], ends text, only_when text)
RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  event text;
  transitions text;
BEGIN
  FOR event, transitions IN VALUES
    ('INSERT', 'NEW TABLE AS after'), ('UPDATE', 'OLD TABLE AS before NEW TABLE AS after'), ('DELETE', 'OLD TABLE AS before')
  LOOP
    EXECUTE format(
      'CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT %s EXECUTE FUNCTION audit_changes(%L, %L, %L, %L)',
      'audited_' || lower(event), event, relation, transitions, only_when, kind, name_column, ignored::text, ends
    );
  END LOOP;
END $$;

-- Upkeep of the worker (titles, hashes of long URLs, links of an import) leaves no row for each link.
DO $$
DECLARE
  not_upkeep CONSTANT text :=
    $when$WHEN (coalesce(current_setting('hopcount.actor', true), '') <> '' OR current_setting('application_name') = 'hopcount-api')$when$;
BEGIN
  PERFORM audit_table('links', 'link', 'code', '{id,domain_id,search_text,url_hash,updated_at,version}', '', not_upkeep);
  PERFORM audit_table('tags', 'tag', 'name', '{id}', '', not_upkeep);
  PERFORM audit_table('groups', 'group', 'id', '{id,created_at}', '', '');
  PERFORM audit_table('domains', 'domain', 'authority', '{id}', '', '');
  PERFORM audit_table('api_keys', 'api-key', 'name', '{id,created_at,last_used_at}', '', '');
  PERFORM audit_table('imports', 'import', 'id', '{id,created_at}', 'ended_at', '');
  PERFORM audit_table('operator_actions', 'operation', 'command', '{id,started_at}', 'ended_at', '');
  PERFORM audit_table('orphan_horizon', 'orphan-visits', '', '{singleton}', '', '');
  PERFORM audit_table('ledger_retention', 'ledger', '', '{singleton}', '', '');
  EXECUTE 'CREATE TRIGGER audited_insert AFTER INSERT ON link_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT '
    || not_upkeep || ' EXECUTE FUNCTION audit_tags()';
  EXECUTE 'CREATE TRIGGER audited_delete AFTER DELETE ON link_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT '
    || not_upkeep || ' EXECUTE FUNCTION audit_tags()';
END $$;

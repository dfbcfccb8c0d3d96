-- Written by `npm run schema:dump` from the migrations; not meant to be edited.

CREATE OR REPLACE FUNCTION public.add_to_link_counts(domain_ids integer[], step integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO link_counts AS kept (domain_id, slot, links)
  SELECT changed.domain_id, pg_backend_pid() % 16, count(*) * step FROM unnest(domain_ids) AS changed (domain_id)
  GROUP BY changed.domain_id ORDER BY changed.domain_id
  ON CONFLICT ON CONSTRAINT link_counts_pkey DO UPDATE SET links = kept.links + excluded.links;
END $function$
;

CREATE OR REPLACE FUNCTION public.alert_is_counted(alert alerts)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE alert.subject
    WHEN 'tag' THEN (SELECT count(*) FROM (SELECT FROM link_tags WHERE tag_id = alert.tag_id LIMIT 1001) AS links) <= 1000
    WHEN 'host' THEN host_place(alert.host_kind, alert.host) = alert.host AND (
      SELECT count(*) FROM (
        SELECT FROM hosts WHERE kind = alert.host_kind AND name > alert.host || '.' AND name < alert.host || '/' LIMIT 1001
      ) AS names
    ) <= 1000
    ELSE true
  END
$function$
;

CREATE OR REPLACE FUNCTION public.alert_is_seen(alert alerts)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (
    SELECT FROM (
      SELECT NULL::integer AS author, NULL::integer AS domain,
        CASE WHEN role IS NULL THEN ARRAY(SELECT group_id FROM group_roles WHERE user_id = users.id) END AS groups
      FROM users WHERE users.id = alert.user_id AND enabled
      UNION ALL
      SELECT CASE WHEN authored_only THEN api_keys.id END, api_keys.domain_id, NULL
      FROM api_keys
      WHERE api_keys.id = alert.api_key_id AND enabled AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND scopes && '{admin,statistics:read}'
    ) AS reach
    WHERE CASE alert.subject
      WHEN 'link' THEN EXISTS (
        SELECT FROM links
        WHERE links.id = alert.link_id AND deleted_at IS NULL
          AND within_reach(links.author_key_id, links.domain_id, links.group_id, reach.author, reach.domain, reach.groups)
      )
      WHEN 'group' THEN author IS NULL AND domain IS NULL AND (groups IS NULL OR alert.group_id = ANY (groups))
      WHEN 'domain' THEN author IS NULL AND groups IS NULL AND (domain IS NULL OR domain = alert.domain_id)
      -- Tags and hosts are of all links, and nobody keeps their sums by group.
      ELSE author IS NULL AND domain IS NULL AND groups IS NULL
    END
  )
$function$
;

CREATE OR REPLACE FUNCTION public.audit_action(changed jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE
    WHEN changed ->> 'purged_at' IS NOT NULL THEN 'purge'
    WHEN changed ->> 'deleted_at' IS NOT NULL THEN 'delete'
    WHEN changed ? 'deleted_at' THEN 'restore'
    WHEN changed ->> 'revoked_at' IS NOT NULL THEN 'revoke'
    WHEN changed ? 'purged_before' THEN 'purge-visits'
    ELSE 'edit'
  END
$function$
;

CREATE OR REPLACE FUNCTION public.audit_actor()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(
    nullif(current_setting('hopcount.actor', true), '')::jsonb,
    jsonb_build_object('kind', 'system', 'name', current_setting('application_name'))
  )
$function$
;

CREATE OR REPLACE FUNCTION public.audit_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.audit_name(thing jsonb, column_name text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF column_name = 'code' THEN
    RETURN (SELECT authority FROM domains WHERE id = (thing ->> 'domain_id')::integer) || '/' || (thing ->> 'code');
  ELSIF column_name = 'stream key' THEN
    RETURN (thing ->> 'stream') || ' ' || (thing ->> 'key');
  END IF;
  RETURN left(thing ->> column_name, 2000);
END $function$
;

CREATE OR REPLACE FUNCTION public.audit_secrets(relation oid)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN (
    SELECT array_agg(attname::text) FROM pg_attribute
    WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attname ~ '(hash|secret|password|token|totp|recovery)'
  );
END $function$
;

CREATE OR REPLACE FUNCTION public.audit_shown(thing jsonb, secrets text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.audit_table(relation regclass, kind text, name_column text, ignored text[], ends text, only_when text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.audit_tags()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.believed_link_filter()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
RETURN (SELECT link_filter.current FROM link_filter WHERE (NOT (EXISTS (SELECT FROM link_filter_gaps gap WHERE (gap.generation = (link_filter.current ->> 'generation'::text))))))
;

CREATE OR REPLACE FUNCTION public.count_unknown_hosts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_agg(kind), array_agg(host), array_agg(cell), array_agg(class), array_agg(visits), array_agg(0::bigint), array_agg(checksum)
  FROM (
    SELECT kind, host, floor(extract(epoch FROM occurred_at) / 10)::integer AS cell, class,
      count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
    FROM added, visit_hosts(NULL, NULL, NULL)
    WHERE target_host IS NULL
    GROUP BY 1, 2, 3, 4
  ) AS sums
  HAVING count(*) > 0;
  RETURN NULL;
END
$function$
;

CREATE OR REPLACE FUNCTION public.create_links(given jsonb, are_loose boolean, held_by text, tagged bigint[], names text[], places smallint[], seek_titles boolean, is_quiet boolean)
 RETURNS TABLE(link_id bigint, made_at timestamp with time zone, link_version bigint, announcement bigint, current_filter text, building_filter text, is_whole boolean)
 LANGUAGE plpgsql
AS $function$
DECLARE
  filter record;
  created bigint[];
BEGIN
  PERFORM set_config('hopcount.link_filters', held_by, true);
  SELECT * INTO filter FROM share_link_filter();
  IF cardinality(tagged) > 0 THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('hopcount-names'), 0);
  END IF;
  WITH inserted AS (
    INSERT INTO links (
      id, domain_id, code, long_url, url_hash, title, note, group_id, valid_since, valid_until, max_visits, expired_url,
      disabled, forward_query, extra_path, redirect_status, crawlable, redirect_rules, split, password_hash, warn, created_at,
      author_key_id
    )
    SELECT new.id, domains.id, new.code, new.long_url, new.url_hash, new.title, new.note, new.group_id, new.valid_since,
      new.valid_until, new.max_visits, new.expired_url, new.disabled, new.forward_query, new.extra_path,
      new.redirect_status, new.crawlable, new.redirect_rules, new.split, new.password_hash, new.warn, coalesce(new.created_at, now()),
      new.author_key_id
    FROM jsonb_array_elements(given) WITH ORDINALITY AS one (link, place)
    JOIN domains ON domains.authority = one.link ->> 'authority'
    CROSS JOIN LATERAL jsonb_populate_record(NULL::links, one.link) AS new
    WHERE NOT are_loose OR NOT EXISTS (
      SELECT FROM links AS held WHERE held.domain_id = domains.id AND lower(held.code) = lower(new.code)
    )
    ORDER BY domains.id, new.code, one.place
    ON CONFLICT DO NOTHING
    RETURNING links.id
  )
  SELECT array_agg(inserted.id) INTO created FROM inserted;
  IF created IS NULL THEN
    RETURN;
  END IF;
  IF cardinality(tagged) > 0 THEN
    SELECT array_agg(tag.of_link), array_agg(tag.name), array_agg(tag.place) INTO tagged, names, places
    FROM unnest(tagged, names, places) AS tag (of_link, name, place)
    WHERE tag.of_link = ANY (created);
    IF tagged IS NOT NULL THEN
      PERFORM tag_links(tagged, names, places);
    END IF;
  END IF;
  IF seek_titles THEN
    INSERT INTO link_titles AS kept (link_id, due_at)
    SELECT links.id, now() FROM links WHERE links.id = ANY (created) AND links.title IS NULL;
  END IF;
  IF NOT is_quiet THEN
    PERFORM queue_webhook_events('link.created', created);
  END IF;
  RETURN QUERY
    WITH announced AS (
      INSERT INTO link_outbox AS queued (link_id) SELECT unnest(created) RETURNING queued.id, queued.link_id AS of_link
    )
    SELECT links.id, links.created_at, links.version, announced.id, filter.current ->> 'generation', filter.building ->> 'generation',
      filter.is_whole
    FROM announced JOIN links ON links.id = announced.of_link;
END $function$
;

CREATE OR REPLACE FUNCTION public.create_visit_partitions(from_time timestamp with time zone, to_time timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '1s'
AS $function$
DECLARE
  month_start timestamp;
  partition_name text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('create_visit_partitions'));
  month_start := date_trunc(
    'month', greatest(from_time, (SELECT kept_from FROM ledger_retention)) AT TIME ZONE 'UTC'
  );
  WHILE month_start <= to_time AT TIME ZONE 'UTC' LOOP
    partition_name := 'visits_' || to_char(month_start, 'YYYY_MM');
    IF to_regclass(partition_name) IS NULL AND NOT EXISTS (
      SELECT FROM visits_default
      WHERE occurred_at >= month_start AT TIME ZONE 'UTC'
        AND occurred_at < (month_start + interval '1 month') AT TIME ZONE 'UTC'
    ) THEN
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF visits FOR VALUES FROM (%L) TO (%L)',
        partition_name,
        to_char(month_start, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(month_start + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
      );
      created := created + 1;
    END IF;
    month_start := month_start + interval '1 month';
  END LOOP;
  RETURN created;
END $function$
;

CREATE OR REPLACE FUNCTION public.event_checksum(event_id uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  SELECT ('x' || right(replace(event_id::text, '-', ''), 16))::bit(64)::bigint & 4611686018427387903
$function$
;

CREATE OR REPLACE FUNCTION public.host_name(host text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE
    WHEN host IS NULL OR host = '' OR position('~' IN host) > 0 THEN '~unknown'
    WHEN host LIKE 'android-app://%' THEN '~app.' || replace(substr(host, 15), '.', '-')
    WHEN host LIKE '[%' THEN '~ip.' || substr(host, 2, greatest(length(host) - 2, 0))
    WHEN host ~ '^[0-9.]+$' THEN '~ip.' || replace(host, '.', '-')
    WHEN position('.' IN host) = 0 THEN host
    ELSE (
      SELECT string_agg(label, '.' ORDER BY place DESC)
      FROM (SELECT label, place FROM string_to_table(host, '.') WITH ORDINALITY AS part (label, place) ORDER BY place DESC LIMIT 8) AS top
    )
  END
$function$
;

CREATE OR REPLACE FUNCTION public.host_parent(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN position('.' IN name) > 0 THEN regexp_replace(name, '\.[^.]*$', '') END
$function$
;

CREATE OR REPLACE FUNCTION public.host_place(kind integer, name text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
DECLARE
  place    text := array_to_string((string_to_array(name, '.'))[1:8], '.');
  ancestor text := host_parent(place);
BEGIN
  IF EXISTS (SELECT FROM hosts WHERE hosts.kind = host_place.kind AND hosts.name = place) THEN RETURN place; END IF;
  WHILE ancestor IS NOT NULL AND NOT EXISTS (SELECT FROM hosts WHERE hosts.kind = host_place.kind AND hosts.name = ancestor) LOOP
    ancestor := host_parent(ancestor);
  END LOOP;
  ancestor := coalesce(ancestor || '.', '') || '~rest';
  RETURN CASE WHEN EXISTS (SELECT FROM hosts WHERE hosts.kind = host_place.kind AND hosts.name = ancestor) THEN ancestor ELSE place END;
END
$function$
;

CREATE OR REPLACE FUNCTION public.host_sums_of_totals()
 RETURNS TABLE(host_id integer, kind smallint, parent_id integer, visits bigint, by_class bigint[])
 LANGUAGE sql
 STABLE
AS $function$
  WITH RECURSIVE part AS (
    SELECT totals.host_id AS id, totals.class, (p - n) AS visits FROM host_totals AS totals
    UNION ALL
    SELECT hosts.parent_id, part.class, part.visits FROM part JOIN hosts ON hosts.id = part.id WHERE hosts.parent_id IS NOT NULL
  ), sums AS (
    SELECT id, sum(visits)::bigint AS visits, ARRAY[
      coalesce(sum(visits) FILTER (WHERE class = 0), 0)::bigint, coalesce(sum(visits) FILTER (WHERE class = 1), 0)::bigint,
      coalesce(sum(visits) FILTER (WHERE class = 2), 0)::bigint, coalesce(sum(visits) FILTER (WHERE class = 3), 0)::bigint,
      coalesce(sum(visits) FILTER (WHERE class = 4), 0)::bigint
    ] AS by_class
    FROM part GROUP BY id
  )
  SELECT id, hosts.kind, coalesce(hosts.parent_id, 0), sums.visits, sums.by_class FROM sums JOIN hosts USING (id)
$function$
;

CREATE OR REPLACE FUNCTION public.keep_link_limit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO link_limits (link_id, is_based) VALUES (NEW.id, TG_OP = 'INSERT') ON CONFLICT DO NOTHING;
  PERFORM FROM link_limits WHERE link_id = NEW.id FOR UPDATE;
  UPDATE link_limits
  SET used = (SELECT coalesce(sum(visits), 0) FROM link_traffic WHERE link_id = NEW.id)
      + (SELECT count(*) FROM link_uses WHERE link_id = NEW.id),
    late = 0, apart = 0, purged = 0, is_based = true
  WHERE link_id = NEW.id AND NOT is_based;
  UPDATE link_limits SET max_uses = NEW.max_visits WHERE link_id = NEW.id;
  RETURN NULL;
END
$function$
;

CREATE OR REPLACE FUNCTION public.keep_link_lists()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM after WHERE deleted_at IS NULL), 1);
    INSERT INTO link_totals (link_id, visits, non_bot_visits, listed)
    SELECT id, 0, 0, deleted_at IS NULL FROM after ORDER BY id
    ON CONFLICT (link_id) DO UPDATE SET listed = excluded.listed;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM before WHERE deleted_at IS NULL), -1);
    UPDATE link_totals SET listed = false FROM before WHERE link_id = id;
  ELSIF EXISTS (
    SELECT FROM before JOIN after USING (id)
    WHERE (before.deleted_at IS NULL, before.domain_id) <> (after.deleted_at IS NULL, after.domain_id)
  ) THEN
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM before WHERE deleted_at IS NULL), -1);
    PERFORM add_to_link_counts(ARRAY(SELECT domain_id FROM after WHERE deleted_at IS NULL), 1);
    UPDATE link_totals SET listed = deleted_at IS NULL FROM after WHERE link_id = id;
  END IF;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_totals_of_tagged()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM FROM link_totals WHERE link_id IN (SELECT link_id FROM changed) ORDER BY link_id FOR SHARE;
  INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
  SELECT tag_id, sign * count(*) FILTER (WHERE listed), sign * sum(visits), sign * sum(non_bot_visits)
  FROM changed
  CROSS JOIN LATERAL (
    SELECT listed, visits, non_bot_visits FROM link_totals WHERE link_id = changed.link_id OFFSET 0
  ) AS totals
  GROUP BY tag_id
  HAVING count(*) FILTER (WHERE listed) > 0 OR sum(visits) > 0;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_totals_of_tags()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
    SELECT tag_id, count(*) FILTER (WHERE listed), sum(visits), sum(non_bot_visits)
    FROM after CROSS JOIN LATERAL (
      SELECT tag_id FROM link_tags WHERE link_id BETWEEN after.link_id AND after.link_id ORDER BY link_id, tag_id OFFSET 0
    ) AS tags
    GROUP BY tag_id;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
    SELECT tag_id, -count(*) FILTER (WHERE listed), -sum(visits), -sum(non_bot_visits)
    FROM before CROSS JOIN LATERAL (
      SELECT tag_id FROM link_tags WHERE link_id BETWEEN before.link_id AND before.link_id ORDER BY link_id, tag_id OFFSET 0
    ) AS tags
    GROUP BY tag_id;
  ELSE
    -- Not joined to each other: neither has an index.
    INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
    SELECT tag_id, sum(links), sum(visits), sum(non_bot_visits)
    FROM (
      SELECT link_id, listed::integer AS links, visits, non_bot_visits FROM after
      UNION ALL
      SELECT link_id, -listed::integer, -visits, -non_bot_visits FROM before
    ) AS parts
    CROSS JOIN LATERAL (
      SELECT tag_id FROM link_tags WHERE link_id BETWEEN parts.link_id AND parts.link_id ORDER BY link_id, tag_id OFFSET 0
    ) AS tags
    GROUP BY tag_id
    HAVING (sum(links), sum(visits), sum(non_bot_visits)) <> (0, 0, 0);
  END IF;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_dimensions(of_link bigint, starts timestamp with time zone[], ends timestamp with time zone[])
 RETURNS TABLE(dimension text, value text, human bigint, bot bigint, preview bigint, prefetch bigint, opted_out bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 300
 SET jit TO 'off'
AS $function$
  WITH counted AS (
    SELECT
      CASE
        WHEN grouping(visit.country) = 0 THEN 'country'
        WHEN grouping(visit.region) = 0 THEN 'region'
        WHEN grouping(visit.city) = 0 THEN 'city'
        WHEN grouping(visit.os) = 0 THEN 'os'
        WHEN grouping(visit.browser) = 0 THEN 'browser'
        WHEN grouping(visit.device) = 0 THEN 'device'
        WHEN grouping(visit.network) = 0 THEN 'network'
        WHEN grouping(visit.referrer_host) = 0 THEN 'referrer'
        ELSE 'language'
      END AS dimension,
      coalesce(
        visit.country, visit.region, visit.city, visit.os, visit.browser, visit.device, visit.network,
        visit.referrer_host, visit.language
      ) AS value,
      visit.class,
      count(*) AS visits
    FROM (
      SELECT
        ledger.class, ledger.country, ledger.os, ledger.browser, ledger.device, ledger.network,
        ledger.referrer_host, ledger.language,
        CASE WHEN ledger.region = 'unknown' OR ledger.country = 'unknown' THEN ledger.region
          ELSE ledger.region || ', ' || ledger.country END AS region,
        CASE WHEN ledger.city = 'unknown' OR ledger.country = 'unknown' THEN ledger.city
          ELSE ledger.city || ', ' || ledger.country END AS city
      FROM unnest(starts, ends) AS span (from_time, to_time)
      -- OFFSET 0 keeps the planner from reading all of the link's visits and sifting them by range after.
      CROSS JOIN LATERAL (
        SELECT * FROM visits
        WHERE link_id = of_link AND occurred_at >= span.from_time AND occurred_at < span.to_time
        OFFSET 0
      ) AS ledger
    ) AS visit
    GROUP BY GROUPING SETS (
      (class, country), (class, region), (class, city), (class, os), (class, browser), (class, device),
      (class, network), (class, referrer_host), (class, language)
    )
  )
  SELECT
    counted.dimension,
    counted.value,
    coalesce(sum(visits) FILTER (WHERE class = 0), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 1), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 2), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 3), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 4), 0)::bigint
  FROM counted
  GROUP BY counted.dimension, counted.value
$function$
;

CREATE OR REPLACE FUNCTION public.link_policy(link links)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN NULLIF((json_strip_nulls(json_build_object('validSince', ((EXTRACT(epoch FROM (link).valid_since) * (1000)::numeric))::bigint, 'validUntil', ((EXTRACT(epoch FROM (link).valid_until) * (1000)::numeric))::bigint, 'maxVisits', (link).max_visits, 'expiredUrl', (link).expired_url, 'disabled', CASE WHEN (link).disabled THEN true ELSE NULL::boolean END, 'forwardQuery', CASE WHEN (NOT (link).forward_query) THEN false ELSE NULL::boolean END, 'extraPath', (link).extra_path, 'status', (link).redirect_status, 'rules', (link).redirect_rules, 'split', (link).split, 'password', "left"(encode(sha256(convert_to((link).password_hash, 'UTF8'::name)), 'hex'::text), 32), 'warn', CASE WHEN (link).warn THEN true ELSE NULL::boolean END)))::text, '{}'::text)
;

CREATE OR REPLACE FUNCTION public.note_link_filter_gap()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  filter record;
BEGIN
  SELECT * INTO filter FROM share_link_filter();
  INSERT INTO link_filter_gaps (generation)
  SELECT kept.generation
  FROM (VALUES (filter.current ->> 'generation'), (filter.building ->> 'generation')) AS kept (generation)
  WHERE kept.generation IS NOT NULL
    AND kept.generation <> ALL (string_to_array(coalesce(current_setting('hopcount.link_filters', true), ''), ','))
    AND NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = kept.generation);
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.note_unpublished_hosts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  is_shrunk boolean := false;
BEGIN
  IF NOT EXISTS (SELECT FROM host_datacenter) THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN
    INSERT INTO host_unpublished (host_id, class)
    SELECT host_id, class FROM removed WHERE dc = '' ORDER BY 1, 2
    ON CONFLICT (host_id, class) DO UPDATE SET change = excluded.change;
    is_shrunk := FOUND;
  ELSE
    INSERT INTO host_unpublished (host_id, class)
    SELECT host_id, class FROM added WHERE dc = '' ORDER BY 1, 2
    ON CONFLICT (host_id, class) DO UPDATE SET change = excluded.change;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    is_shrunk := EXISTS (
      SELECT FROM added JOIN removed USING (kind, host_id, class, dc)
      WHERE dc = '' AND (added.p < removed.p OR added.n < removed.n)
    );
  END IF;
  IF is_shrunk THEN
    UPDATE host_datacenter SET epoch = epoch + 1, is_whole = false, marked_host = 0;
  END IF;
  RETURN NULL;
END
$function$
;

CREATE OR REPLACE FUNCTION public.own_host_sums_are_exact()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT NOT EXISTS (SELECT FROM unattributed_purges)
    AND NOT EXISTS (SELECT FROM doubted_sums WHERE checks && '{hosts,host-totals,host-sums,fed,archive}')
$function$
;

CREATE OR REPLACE FUNCTION public.queue_webhook_events(event text, link_ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled AND event = ANY (events)) THEN
    RETURN;
  END IF;
  WITH told AS MATERIALIZED (
    SELECT gen_random_uuid() AS event_id, webhook_body(event, link_id, NULL) AS body
    FROM unnest(link_ids) AS given (link_id)
  )
  INSERT INTO webhook_events (webhook_id, event_id, body)
  SELECT hearing.id, told.event_id, told.body
  FROM (
    SELECT id FROM webhooks WHERE enabled AND event = ANY (events) AND webhook_has_room(id) ORDER BY id FOR KEY SHARE
  ) AS hearing
  CROSS JOIN told
  WHERE told.body IS NOT NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.set_kept_from(instant timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO ledger_retention (kept_from) VALUES (instant)
  ON CONFLICT (singleton) DO UPDATE SET kept_from = excluded.kept_from;
  ALTER TABLE visits_default DROP CONSTRAINT IF EXISTS visits_default_kept_from;
  EXECUTE format(
    'ALTER TABLE visits_default ADD CONSTRAINT visits_default_kept_from CHECK (occurred_at >= %L) NOT VALID', instant
  );
END $function$
;

CREATE OR REPLACE FUNCTION public.share_link_filter()
 RETURNS TABLE(current jsonb, building jsonb, is_whole boolean)
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('hopcount-link-filter'), 0);
  RETURN QUERY
    SELECT filter.current, filter.building,
      NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = filter.current ->> 'generation')
    FROM link_filter AS filter
    FOR SHARE;
END $function$
;

CREATE OR REPLACE FUNCTION public.sum_hosts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  ids     integer[];
  classes smallint[];
  changes bigint[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(host_id), array_agg(class), array_agg(p - n) INTO ids, classes, changes FROM added;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(host_id), array_agg(class), array_agg(n - p) INTO ids, classes, changes FROM removed;
  ELSE
    SELECT array_agg(host_id), array_agg(class), array_agg(visits) INTO ids, classes, changes
    FROM (SELECT host_id, class, p - n AS visits FROM added UNION ALL SELECT host_id, class, n - p FROM removed) AS both_of_them;
  END IF;
  WITH RECURSIVE changed AS MATERIALIZED (
    SELECT id, class, sum(visits) AS visits FROM unnest(ids, classes, changes) AS change (id, class, visits)
    GROUP BY 1, 2 HAVING sum(visits) <> 0
  ), part AS (
    SELECT id, class, visits FROM changed
    UNION ALL
    SELECT hosts.parent_id, part.class, part.visits FROM part JOIN hosts ON hosts.id = part.id WHERE hosts.parent_id IS NOT NULL
  ), sums AS MATERIALIZED (
    SELECT id, sum(visits)::bigint AS visits, ARRAY[
      coalesce(sum(visits) FILTER (WHERE class = 0), 0)::bigint, coalesce(sum(visits) FILTER (WHERE class = 1), 0)::bigint,
      coalesce(sum(visits) FILTER (WHERE class = 2), 0)::bigint, coalesce(sum(visits) FILTER (WHERE class = 3), 0)::bigint,
      coalesce(sum(visits) FILTER (WHERE class = 4), 0)::bigint
    ] AS by_class
    FROM part GROUP BY id
  )
  INSERT INTO host_sums AS kept (host_id, kind, parent_id, visits, by_class)
  SELECT id, hosts.kind, coalesce(hosts.parent_id, 0), sums.visits, sums.by_class FROM sums JOIN hosts USING (id) ORDER BY id
  ON CONFLICT (host_id) DO UPDATE SET visits = kept.visits + excluded.visits, by_class = ARRAY[
    kept.by_class[1] + excluded.by_class[1], kept.by_class[2] + excluded.by_class[2], kept.by_class[3] + excluded.by_class[3],
    kept.by_class[4] + excluded.by_class[4], kept.by_class[5] + excluded.by_class[5]
  ];
  RETURN NULL;
END
$function$
;

CREATE OR REPLACE FUNCTION public.tag_links(link_ids bigint[], names text[], places smallint[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  missing integer := cardinality(link_ids);
  added integer;
BEGIN
  FOR turn IN 1..2 LOOP
    EXIT WHEN missing = 0;
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(link_ids, names, places) AS given (link_id, name, position)
    ), known AS MATERIALIZED (
      SELECT tags.id, tags.name FROM tags WHERE tags.name = ANY (names)
    ), filed AS (
      INSERT INTO tags (name)
      SELECT DISTINCT given.name FROM given WHERE NOT EXISTS (SELECT FROM known WHERE known.name = given.name) ORDER BY given.name
      ON CONFLICT DO NOTHING
      RETURNING tags.id, tags.name
    )
    INSERT INTO link_tags (link_id, tag_id, position)
    SELECT given.link_id, tag.id, given.position
    FROM given
    JOIN (TABLE known UNION ALL TABLE filed) AS tag ON tag.name = given.name
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    missing := missing - added;
  END LOOP;
  IF missing > 0 THEN
    RAISE EXCEPTION '% tags were filed and are not there', missing;
  END IF;
END $function$
;

CREATE OR REPLACE FUNCTION public.tell_visits_reached()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE enabled AND visits <> '{}') THEN
    RETURN NULL;
  END IF;
  WITH grown AS (
    SELECT link_id, sum(after_visits) AS visits, sum(before_visits) AS visits_before
    FROM (
      SELECT link_id, visits AS after_visits, 0 AS before_visits FROM after
      UNION ALL
      SELECT link_id, 0, visits FROM before
    ) AS parts
    GROUP BY link_id
    HAVING sum(after_visits) > sum(before_visits)
  ), crossed AS MATERIALIZED (
    SELECT webhooks.id AS webhook_id, grown.link_id, number
    FROM grown
    CROSS JOIN webhooks
    CROSS JOIN LATERAL unnest(webhooks.visits) AS number
    WHERE webhooks.enabled AND number > grown.visits_before AND number <= grown.visits
    ORDER BY 1, 2, 3
    FOR KEY SHARE OF webhooks
  ), reached AS (
    INSERT INTO webhook_visits (webhook_id, link_id, visits)
    SELECT webhook_id, link_id, number FROM crossed
    ON CONFLICT DO NOTHING
    RETURNING webhook_id, link_id, visits
  )
  INSERT INTO webhook_events (webhook_id, body)
  SELECT webhook_id, body
  FROM (
    SELECT webhook_id, webhook_body('link.visits_reached', link_id, visits) AS body FROM reached
    WHERE webhook_has_room(webhook_id)
  ) AS told
  WHERE body IS NOT NULL;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.visit_hosts(target_host text, short_host text, referrer_host text)
 RETURNS TABLE(kind smallint, host text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT 0::smallint, host_name(target_host) COLLATE "C"
  UNION ALL
  SELECT 1::smallint, CASE
    WHEN target_host IS NULL OR referrer_host = 'unknown' THEN '~unknown'
    WHEN referrer_host = 'direct' THEN '~direct'
    ELSE host_name(referrer_host)
  END COLLATE "C"
  UNION ALL
  SELECT 2::smallint, CASE WHEN target_host IS NULL THEN '~unknown' ELSE host_name(short_host) END COLLATE "C"
$function$
;

CREATE OR REPLACE FUNCTION public.webhook_body(event text, link bigint, reached bigint)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT json_build_object('type', event, 'timestamp', told.at, 'data', CASE
    WHEN reached IS NULL THEN json_build_object('shortUrl', told.link)
    ELSE json_build_object('shortUrl', told.link, 'visits', reached)
  END)::text
  FROM (
    SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, json_build_object(
      'id', links.id::text, 'domain', domains.authority, 'shortCode', links.code, 'longUrl', links.long_url,
      'title', links.title, 'groupId', links.group_id, 'version', links.version::text,
      'tags', ARRAY(
        SELECT tags.name FROM link_tags JOIN tags ON tags.id = link_tags.tag_id WHERE link_tags.link_id = links.id
        ORDER BY link_tags.position
      )
    ) AS link
    FROM links JOIN domains ON domains.id = links.domain_id
    WHERE links.id = webhook_body.link
  ) AS told
$function$
;

CREATE OR REPLACE FUNCTION public.webhook_has_room(webhook integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$ SELECT count(*) < 10000 FROM (SELECT FROM webhook_events WHERE webhook_id = webhook LIMIT 10000) AS waiting $function$
;

CREATE OR REPLACE FUNCTION public.within_reach(author integer, domain integer, group_id text, only_author integer, only_domain integer, only_groups text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT (only_author IS NULL OR author = only_author) AND (only_domain IS NULL OR domain = only_domain)
    AND (only_groups IS NULL OR group_id = ANY (only_groups))
$function$
;

CREATE OR REPLACE FUNCTION public.within_reach(author integer, domain integer, only_author integer, only_domain integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT (only_author IS NULL OR author = only_author) AND (only_domain IS NULL OR domain = only_domain) $function$
;

CREATE TABLE abuse_reports (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  link_id bigint NOT NULL,
  cause text NOT NULL,
  reports bigint DEFAULT 1 NOT NULL,
  first_at timestamp with time zone DEFAULT now() NOT NULL,
  last_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE alerts (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  user_id integer,
  api_key_id integer,
  name text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  link_id bigint,
  tag_id integer,
  domain_id integer,
  group_id text COLLATE "C",
  host_kind smallint,
  host text COLLATE "C",
  kind text COLLATE "C" NOT NULL,
  window_minutes integer NOT NULL,
  threshold bigint NOT NULL,
  factor double precision,
  time_zone text NOT NULL,
  channel text COLLATE "C" NOT NULL,
  looked_until timestamp with time zone NOT NULL,
  held_until timestamp with time zone,
  told_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE anomaly_search (
  only_row boolean DEFAULT true NOT NULL,
  until timestamp with time zone NOT NULL
) WITH ();

CREATE TABLE api_keys (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  key_hash bytea NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  prefix text,
  scopes text[] DEFAULT '{admin}'::text[] NOT NULL,
  authored_only boolean DEFAULT false NOT NULL,
  domain_id integer,
  no_orphans boolean DEFAULT false NOT NULL,
  previous_hash bytea,
  previous_until timestamp with time zone,
  revoked_at timestamp with time zone
) WITH ();

CREATE TABLE archive_file_hours (
  file_id uuid NOT NULL,
  hour timestamp with time zone NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL
) WITH ();

CREATE TABLE archive_files (
  id uuid NOT NULL,
  path text COLLATE "C" NOT NULL,
  level text COLLATE "C" NOT NULL,
  period_start timestamp with time zone NOT NULL,
  period_end timestamp with time zone NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  incarnation uuid NOT NULL,
  state text COLLATE "C" DEFAULT 'active'::text NOT NULL,
  sealed_at timestamp with time zone DEFAULT now() NOT NULL,
  checked_at timestamp with time zone DEFAULT now() NOT NULL,
  replaced_by uuid,
  ended_at timestamp with time zone,
  deleted_at timestamp with time zone
) WITH ();

CREATE TABLE archive_folder (
  singleton boolean DEFAULT true NOT NULL,
  id uuid NOT NULL
) WITH ();

CREATE TABLE audit_log (
  at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  actor jsonb NOT NULL,
  kind text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  object text COLLATE "C",
  objects integer DEFAULT 1 NOT NULL,
  before jsonb,
  after jsonb
) WITH ();

CREATE TABLE batch_attempts (
  consumer_group text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  attempts integer NOT NULL,
  owner text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE block_list (
  singleton boolean DEFAULT true NOT NULL,
  version bigint NOT NULL
) WITH ();

CREATE TABLE blocks (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  value text COLLATE "C" NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  action text DEFAULT 'block'::text NOT NULL
) WITH ();

CREATE TABLE consumer_checkpoints (
  consumer_group text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  owner_epoch bigint NOT NULL,
  owner text NOT NULL,
  last_record_at timestamp with time zone,
  updated_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE day_aggregate_dimensions (
  scope text COLLATE "C" NOT NULL,
  scope_id text COLLATE "C" NOT NULL,
  day_start timestamp with time zone NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  place smallint NOT NULL,
  value text COLLATE "C",
  "values" integer NOT NULL,
  human bigint NOT NULL,
  bot bigint NOT NULL,
  preview bigint NOT NULL,
  prefetch bigint NOT NULL,
  opted_out bigint NOT NULL
) WITH ();

CREATE TABLE day_aggregates (
  scope text COLLATE "C" NOT NULL,
  scope_id text COLLATE "C" NOT NULL,
  day_start timestamp with time zone NOT NULL,
  class text COLLATE "C" NOT NULL,
  day_end timestamp with time zone NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  visitors bigint NOT NULL,
  ips bigint NOT NULL,
  aggregated_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE dead_letter_states (
  topic text NOT NULL,
  partition integer NOT NULL,
  letter_offset bigint NOT NULL,
  appended_at timestamp with time zone NOT NULL,
  state text NOT NULL,
  times integer DEFAULT 1 NOT NULL,
  action_id bigint NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE domains (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  authority text COLLATE "C" NOT NULL,
  is_default boolean DEFAULT false NOT NULL,
  base_url_redirect text,
  regular_404_redirect text,
  invalid_short_url_redirect text
) WITH ();

CREATE TABLE doubted_sums (
  singleton boolean DEFAULT true NOT NULL,
  from_time timestamp with time zone NOT NULL,
  to_time timestamp with time zone NOT NULL,
  noted_at timestamp with time zone DEFAULT now() NOT NULL,
  checks text[] DEFAULT '{proof}'::text[] NOT NULL,
  since timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE erasures (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  person text COLLATE "C" NOT NULL,
  hash bigint NOT NULL,
  occurred_from timestamp with time zone NOT NULL,
  occurred_before timestamp with time zone NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  erased_at timestamp with time zone
) WITH ();

CREATE TABLE finished_purges (
  link_id bigint NOT NULL,
  finished_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE gateway_states (
  source text COLLATE "C" NOT NULL,
  spooled_visits bigint NOT NULL,
  said_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE group_roles (
  user_id integer NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  role text NOT NULL
) WITH ();

CREATE TABLE groups (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  "position" integer
) WITH ();

CREATE TABLE hash_key_setting (
  singleton boolean DEFAULT true NOT NULL,
  fingerprint text,
  rotations text NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE host_alerts (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  alert_id bigint,
  kind smallint NOT NULL,
  host text COLLATE "C" NOT NULL,
  what text NOT NULL,
  at timestamp with time zone NOT NULL,
  visits bigint NOT NULL,
  base double precision NOT NULL,
  is_new boolean NOT NULL,
  reason text,
  explanation jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE host_batches (
  stream text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  body_hash bytea NOT NULL,
  accepted_at timestamp with time zone NOT NULL,
  lines integer NOT NULL,
  visits bigint NOT NULL,
  new_names integer DEFAULT 0 NOT NULL,
  names text[],
  counts bigint[],
  settled_at timestamp with time zone,
  refusal text,
  reversed_at timestamp with time zone
) WITH ();

CREATE TABLE host_changes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
  kinds smallint[] NOT NULL,
  hosts text[] NOT NULL,
  cells integer[] NOT NULL,
  classes smallint[] NOT NULL,
  p bigint[] NOT NULL,
  n bigint[] NOT NULL,
  checksums bigint[] NOT NULL,
  entries integer GENERATED ALWAYS AS (cardinality(kinds)) STORED NOT NULL,
  folded_at timestamp with time zone,
  is_correction boolean DEFAULT false NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE host_datacenter (
  singleton boolean DEFAULT true NOT NULL,
  name text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  is_whole boolean NOT NULL,
  next_offset bigint,
  marked_host integer DEFAULT 0 NOT NULL,
  folded_to timestamp with time zone,
  is_attributed boolean DEFAULT false NOT NULL
) WITH ();

CREATE TABLE host_feed (
  singleton boolean DEFAULT true NOT NULL,
  visits bigint DEFAULT 0 NOT NULL
) WITH ();

CREATE TABLE host_feed_days (
  stream text COLLATE "C" NOT NULL,
  day date NOT NULL,
  lines bigint NOT NULL,
  new_names bigint NOT NULL
) WITH ();

CREATE TABLE host_feed_ended (
  host_id integer NOT NULL,
  p bigint NOT NULL,
  n bigint NOT NULL
) WITH ();

CREATE TABLE host_peers (
  dc text COLLATE "C" NOT NULL,
  epoch bigint,
  next_offset bigint DEFAULT 0 NOT NULL,
  as_of timestamp with time zone,
  replicas bigint DEFAULT 0 NOT NULL,
  p numeric DEFAULT 0 NOT NULL,
  n numeric DEFAULT 0 NOT NULL,
  refused bigint DEFAULT 0 NOT NULL,
  is_attributed boolean DEFAULT true NOT NULL
) WITH ();

CREATE TABLE host_replicas (
  dc text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  name text COLLATE "C" NOT NULL,
  class smallint NOT NULL,
  epoch bigint NOT NULL,
  p bigint NOT NULL,
  n bigint NOT NULL,
  host_id integer NOT NULL
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE host_sums (
  host_id integer NOT NULL,
  kind smallint NOT NULL,
  parent_id integer NOT NULL,
  visits bigint NOT NULL,
  by_class bigint[] NOT NULL
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE host_surge_search (
  only_row boolean DEFAULT true NOT NULL,
  until timestamp with time zone NOT NULL,
  moved_at timestamp with time zone
) WITH ();

CREATE TABLE host_surges (
  kind smallint NOT NULL,
  host text COLLATE "C" NOT NULL,
  alert_id bigint,
  state jsonb NOT NULL
) WITH ();

CREATE TABLE host_totals (
  kind smallint NOT NULL,
  host_id integer NOT NULL,
  class smallint NOT NULL,
  dc text COLLATE "C" DEFAULT ''::text NOT NULL,
  p bigint NOT NULL,
  n bigint NOT NULL,
  last_bucket timestamp with time zone NOT NULL
) WITH (fillfactor=80);

CREATE TABLE host_traffic (
  kind smallint NOT NULL,
  host_id integer NOT NULL,
  bucket timestamp with time zone NOT NULL,
  class smallint NOT NULL,
  dc text COLLATE "C" DEFAULT ''::text NOT NULL,
  p bigint NOT NULL,
  n bigint NOT NULL,
  checksum bigint NOT NULL
) WITH (fillfactor=80);

CREATE TABLE host_unpublished (
  host_id integer NOT NULL,
  class smallint NOT NULL,
  change bigint DEFAULT nextval('host_unpublished_change'::regclass) NOT NULL
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE hosts (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind smallint NOT NULL,
  name text COLLATE "C" NOT NULL,
  parent_id integer,
  children integer DEFAULT 0 NOT NULL
) WITH ();

CREATE TABLE idempotency_keys (
  api_key_id integer,
  key text COLLATE "C" NOT NULL,
  request bytea NOT NULL,
  answer text,
  results integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  user_id integer
) WITH ();

CREATE TABLE import_identities (
  import_id bigint NOT NULL,
  identity uuid NOT NULL,
  seen integer NOT NULL
) WITH ();

CREATE TABLE import_links (
  name text COLLATE "C" NOT NULL,
  source_key text COLLATE "C" NOT NULL,
  link_id bigint NOT NULL
) WITH ();

CREATE TABLE import_parts (
  import_id bigint NOT NULL,
  part integer NOT NULL,
  bytes bytea NOT NULL
) WITH ();

CREATE TABLE import_skips (
  import_id bigint NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  "row" bigint NOT NULL,
  reason text NOT NULL,
  detail text NOT NULL,
  line bigint,
  field text
) WITH ();

CREATE TABLE imports (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  source text NOT NULL,
  name text NOT NULL,
  domain text,
  state text DEFAULT 'uploading'::text NOT NULL,
  bytes bigint DEFAULT 0 NOT NULL,
  rows_done bigint DEFAULT 0 NOT NULL,
  created bigint DEFAULT 0 NOT NULL,
  existing bigint DEFAULT 0 NOT NULL,
  skipped bigint DEFAULT 0 NOT NULL,
  reasons jsonb DEFAULT '{}'::jsonb NOT NULL,
  failure text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  visits bigint DEFAULT 0 NOT NULL,
  existing_visits bigint DEFAULT 0 NOT NULL,
  author_key_id integer,
  updated bigint DEFAULT 0 NOT NULL,
  changes_links boolean DEFAULT false NOT NULL,
  charset text DEFAULT 'utf-8'::text NOT NULL
) WITH ();

CREATE TABLE invites (
  token_hash bytea NOT NULL,
  user_id integer,
  role text,
  groups jsonb DEFAULT '{}'::jsonb NOT NULL,
  only_first boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  created_by_user integer,
  created_by_key integer
) WITH ();

CREATE TABLE ledger_cluster (
  singleton boolean DEFAULT true NOT NULL,
  cluster_id text NOT NULL,
  bound_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE ledger_incarnation (
  singleton boolean DEFAULT true NOT NULL,
  incarnation uuid DEFAULT gen_random_uuid() NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL,
  reason text NOT NULL,
  first_incarnation uuid
) WITH ();

CREATE TABLE ledger_labels (
  singleton boolean DEFAULT true NOT NULL,
  generation bigint DEFAULT 0 NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE ledger_retention (
  singleton boolean DEFAULT true NOT NULL,
  kept_from timestamp with time zone NOT NULL,
  audited_from timestamp with time zone,
  restored_until timestamp with time zone,
  archived_from timestamp with time zone
) WITH ();

CREATE TABLE link_anomalies (
  link_id bigint NOT NULL,
  window_start timestamp with time zone NOT NULL
) WITH ();

CREATE TABLE link_changes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  link_ids bigint[] NOT NULL
) WITH ();

CREATE TABLE link_counts (
  domain_id integer NOT NULL,
  slot smallint NOT NULL,
  links bigint NOT NULL
) WITH (fillfactor=50);

CREATE TABLE link_dimensions (
  link_id bigint NOT NULL,
  hour timestamp with time zone NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  human bigint NOT NULL,
  bot bigint NOT NULL,
  preview bigint NOT NULL,
  prefetch bigint NOT NULL,
  opted_out bigint NOT NULL
) WITH ();

CREATE TABLE link_filter (
  is_only boolean DEFAULT true NOT NULL,
  current jsonb,
  building jsonb
) WITH ();

CREATE TABLE link_filter_gaps (
  generation text COLLATE "C" NOT NULL
) WITH ();

CREATE TABLE link_fold_deltas (
  link_id bigint NOT NULL,
  hour timestamp with time zone NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  visitors bigint[] NOT NULL,
  ips bigint[] NOT NULL,
  enrichment_version smallint NOT NULL,
  dimensions text[] NOT NULL,
  dimension_values text[] NOT NULL,
  human bigint[] NOT NULL,
  bot bigint[] NOT NULL,
  preview bigint[] NOT NULL,
  prefetch bigint[] NOT NULL,
  opted_out bigint[] NOT NULL
) WITH ();

CREATE TABLE link_folds (
  link_id bigint NOT NULL,
  hour timestamp with time zone NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  visitors bigint[] NOT NULL,
  ips bigint[] NOT NULL,
  enrichment_version smallint NOT NULL,
  folded_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE link_heat (
  link_id bigint NOT NULL,
  heat bigint NOT NULL,
  slots smallint NOT NULL,
  folded_from timestamp with time zone,
  changed_at timestamp with time zone DEFAULT now() NOT NULL,
  pinned_slots smallint
) WITH (fillfactor=50);

CREATE TABLE link_limits (
  link_id bigint NOT NULL,
  max_uses integer,
  used bigint DEFAULT 0 NOT NULL,
  late bigint DEFAULT 0 NOT NULL,
  apart bigint DEFAULT 0 NOT NULL,
  purged bigint DEFAULT 0 NOT NULL,
  is_based boolean DEFAULT false NOT NULL
) WITH (fillfactor=50);

CREATE TABLE link_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  link_id bigint,
  changed_at timestamp with time zone DEFAULT now() NOT NULL,
  domain_id integer
) WITH ();

CREATE TABLE link_tags (
  link_id bigint NOT NULL,
  tag_id integer NOT NULL,
  "position" smallint DEFAULT 0 NOT NULL
) WITH ();

CREATE TABLE link_titles (
  link_id bigint NOT NULL,
  due_at timestamp with time zone,
  attempts smallint DEFAULT 0 NOT NULL,
  found_title text
) WITH ();

CREATE TABLE link_totals (
  link_id bigint NOT NULL,
  visits bigint NOT NULL,
  non_bot_visits bigint NOT NULL,
  listed boolean DEFAULT false NOT NULL
) WITH (fillfactor=80);

CREATE TABLE link_traffic (
  link_id bigint NOT NULL,
  bucket timestamp with time zone NOT NULL,
  class smallint NOT NULL,
  slot_id smallint DEFAULT 0 NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL
) WITH (fillfactor=80);

CREATE TABLE link_uses (
  event_id uuid NOT NULL,
  link_id bigint NOT NULL,
  source text COLLATE "C" NOT NULL,
  spool uuid NOT NULL,
  taken_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone
) WITH ();

CREATE TABLE link_visit_slots (
  link_id bigint NOT NULL,
  potential_bot boolean NOT NULL,
  slot_id smallint NOT NULL,
  visits bigint NOT NULL
) WITH (fillfactor=80);

CREATE TABLE links (
  id bigint NOT NULL,
  domain_id integer NOT NULL,
  code text COLLATE "C" NOT NULL,
  long_url text NOT NULL,
  title text,
  group_id text COLLATE "C",
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  version bigint DEFAULT 1 NOT NULL,
  purged_before timestamp with time zone,
  deleted_at timestamp with time zone,
  search_text text GENERATED ALWAYS AS (lower((((((code || ''::text) || long_url) || ''::text) || COALESCE(title, ''::text)) COLLATE "default"))) STORED NOT NULL,
  valid_since timestamp with time zone,
  valid_until timestamp with time zone,
  max_visits integer,
  expired_url text,
  disabled boolean DEFAULT false NOT NULL,
  forward_query boolean DEFAULT true NOT NULL,
  extra_path text COLLATE "C",
  redirect_status smallint,
  crawlable boolean DEFAULT false NOT NULL,
  note text,
  url_hash bytea,
  purged_at timestamp with time zone,
  redirect_rules jsonb,
  split jsonb,
  author_key_id integer,
  password_hash text COLLATE "C",
  warn boolean DEFAULT false NOT NULL
) WITH ();

CREATE TABLE lost_offsets (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  consumer_group text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  from_offset bigint NOT NULL,
  to_offset bigint NOT NULL,
  last_record_at timestamp with time zone,
  found_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE operator_actions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  command text NOT NULL,
  arguments jsonb NOT NULL,
  operator text NOT NULL,
  cluster_id text,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  outcome text,
  error text,
  counts jsonb DEFAULT '{}'::jsonb NOT NULL
) WITH ();

CREATE TABLE operator_jobs (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text COLLATE "C" NOT NULL,
  parameters jsonb NOT NULL,
  state text COLLATE "C" NOT NULL,
  asked_by text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  action_id bigint,
  plan jsonb,
  counts jsonb DEFAULT '{}'::jsonb NOT NULL,
  checkpoint jsonb DEFAULT '{}'::jsonb NOT NULL,
  step text,
  done bigint,
  total bigint,
  per_second double precision,
  holder uuid,
  heard_at timestamp with time zone,
  silent_holders integer DEFAULT 0 NOT NULL,
  error text
) WITH ();

CREATE TABLE orphan_horizon (
  singleton boolean DEFAULT true NOT NULL,
  purged_before timestamp with time zone NOT NULL
) WITH ();

CREATE TABLE orphan_visits (
  occurred_at timestamp with time zone NOT NULL,
  event_id uuid NOT NULL,
  type smallint NOT NULL,
  class smallint NOT NULL,
  enrichment_version smallint NOT NULL,
  domain text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  ip bigint,
  client_ip inet,
  latitude real,
  longitude real,
  country text COLLATE "C" NOT NULL,
  region text COLLATE "C" NOT NULL,
  city text COLLATE "C" NOT NULL,
  referrer text COLLATE "C",
  user_agent text COLLATE "C",
  truncated text[],
  source text COLLATE "C" NOT NULL
) WITH ();

CREATE TABLE provider_identities (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  user_id integer NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE purged_visits (
  occurred_at timestamp with time zone NOT NULL,
  event_id uuid NOT NULL,
  link_id bigint NOT NULL,
  source text COLLATE "C" NOT NULL
) WITH ();

CREATE TABLE quiet_host_traffic (
  host_id integer NOT NULL,
  kind smallint NOT NULL,
  first_bucket timestamp with time zone NOT NULL,
  last_bucket timestamp with time zone NOT NULL,
  quarters integer[] NOT NULL,
  classes smallint[] NOT NULL,
  p bigint[] NOT NULL,
  n bigint[],
  checksums bigint[] NOT NULL
) WITH ();

CREATE TABLE recovery_codes (
  user_id integer NOT NULL,
  code_hash bytea NOT NULL
) WITH ();

CREATE TABLE refused_visits (
  occurred_at timestamp with time zone NOT NULL,
  event_id uuid NOT NULL,
  source text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  refused_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE relabel_files (
  file_id uuid NOT NULL,
  added jsonb,
  written_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE relabel_moves (
  file_id uuid NOT NULL,
  link_id bigint NOT NULL,
  bucket timestamp with time zone NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  from_class smallint NOT NULL,
  class smallint NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  target_host text COLLATE "C",
  short_host text COLLATE "C",
  referrer_host text COLLATE "C"
) WITH ();

CREATE TABLE relabel_visits (
  occurred_at timestamp with time zone NOT NULL,
  event_id uuid NOT NULL,
  from_class smallint NOT NULL,
  class smallint NOT NULL,
  class_reason smallint NOT NULL,
  channel text COLLATE "C" NOT NULL
) WITH ();

CREATE TABLE relabels (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  range_from timestamp with time zone NOT NULL,
  range_to timestamp with time zone NOT NULL,
  rules smallint NOT NULL,
  kept_from timestamp with time zone,
  read_to_time timestamp with time zone NOT NULL,
  read_to_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
  visits bigint DEFAULT 0 NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  changed bigint
) WITH ();

CREATE TABLE schema_migrations (
  id integer DEFAULT nextval('schema_migrations_id_seq'::regclass) NOT NULL,
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL
) WITH ();

CREATE TABLE scope_traffic (
  scope text COLLATE "C" NOT NULL,
  scope_id text COLLATE "C" NOT NULL,
  bucket timestamp with time zone NOT NULL,
  class smallint NOT NULL,
  slot_id smallint DEFAULT 0 NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL
) WITH (fillfactor=80);

CREATE TABLE sessions (
  token_hash bytea NOT NULL,
  user_id integer NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  user_agent text
) WITH ();

CREATE TABLE settings (
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE share_links (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  token_hash bytea NOT NULL,
  name text NOT NULL,
  user_id integer NOT NULL,
  view jsonb NOT NULL,
  link_id bigint,
  in_groups text[],
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  tag_id integer
) WITH ();

CREATE TABLE slot_backfill (
  singleton boolean DEFAULT true NOT NULL,
  after_link bigint NOT NULL,
  links bigint DEFAULT 0 NOT NULL,
  filled bigint DEFAULT 0 NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone
) WITH ();

CREATE TABLE source_audits (
  source text COLLATE "C" NOT NULL,
  minute timestamp with time zone NOT NULL,
  sequence integer NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  answered bigint NOT NULL,
  refused bigint NOT NULL,
  in_doubt bigint NOT NULL,
  final boolean NOT NULL,
  received_at timestamp with time zone DEFAULT now() NOT NULL,
  status text,
  missing bigint DEFAULT 0 NOT NULL
) WITH ();

CREATE TABLE source_traffic (
  source text COLLATE "C" NOT NULL,
  minute timestamp with time zone NOT NULL,
  slot_id smallint DEFAULT 0 NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL
) WITH (fillfactor=80);

CREATE TABLE tag_changes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  tag_id integer NOT NULL,
  links bigint NOT NULL,
  visits bigint NOT NULL,
  non_bot_visits bigint NOT NULL
) WITH ();

CREATE TABLE tag_totals (
  tag_id integer NOT NULL,
  links bigint NOT NULL,
  visits bigint NOT NULL,
  non_bot_visits bigint NOT NULL
) WITH (fillfactor=80);

CREATE TABLE tags (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL
) WITH ();

CREATE TABLE unattributed_purges (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  bucket timestamp with time zone NOT NULL,
  class smallint NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL
) WITH ();

CREATE TABLE unfinished_purges (
  link_id bigint NOT NULL,
  purged_before timestamp with time zone NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL
) WITH ();

CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  email text COLLATE "C" NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  role text,
  enabled boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_sign_in_at timestamp with time zone,
  totp_secret bytea,
  totp_confirmed boolean DEFAULT false NOT NULL,
  totp_last_step bigint DEFAULT 0 NOT NULL,
  codes_refused_until timestamp with time zone
) WITH ();

CREATE TABLE visit_feed (
  xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  event_ids uuid[] NOT NULL,
  link_ids bigint[]
) WITH ();

CREATE TABLE visit_feed_state (
  singleton boolean DEFAULT true NOT NULL,
  wanted_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  gone_through xid8 DEFAULT pg_current_xact_id() NOT NULL
) WITH ();

CREATE TABLE visit_writers (
  name text COLLATE "C" NOT NULL
) WITH ();

CREATE TABLE visits (
  occurred_at timestamp with time zone NOT NULL,
  event_id uuid NOT NULL,
  link_id bigint NOT NULL,
  visitor bigint,
  ip bigint,
  class smallint NOT NULL,
  enrichment_version smallint NOT NULL,
  latitude real,
  longitude real,
  client_ip inet,
  group_id text COLLATE "C",
  country text COLLATE "C" NOT NULL,
  region text COLLATE "C" NOT NULL,
  city text COLLATE "C" NOT NULL,
  os text COLLATE "C" NOT NULL,
  os_version text COLLATE "C",
  browser text COLLATE "C" NOT NULL,
  browser_version text COLLATE "C",
  device text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  referrer_host text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  referrer text COLLATE "C",
  user_agent text COLLATE "C",
  destination text COLLATE "C",
  utm jsonb,
  truncated text[],
  source text COLLATE "C" NOT NULL,
  route text COLLATE "C",
  imported_from text COLLATE "C",
  channel text COLLATE "C",
  class_reason smallint,
  target_host text COLLATE "C",
  short_host text COLLATE "C"
) PARTITION BY RANGE (occurred_at) WITH ();

CREATE TABLE visits_default PARTITION OF visits DEFAULT WITH ();

CREATE TABLE webhook_deliveries (
  webhook_id integer NOT NULL,
  event_id uuid NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL,
  delivered boolean NOT NULL,
  answer text NOT NULL,
  attempted_at timestamp with time zone NOT NULL
) WITH ();

CREATE TABLE webhook_events (
  webhook_id integer NOT NULL,
  event_id uuid DEFAULT gen_random_uuid() NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL
) WITH ();

CREATE TABLE webhook_visits (
  webhook_id integer NOT NULL,
  link_id bigint NOT NULL,
  visits bigint NOT NULL
) WITH ();

CREATE TABLE webhooks (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  events text[] NOT NULL,
  visits bigint[] NOT NULL,
  secret bytea NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  disabled_reason text,
  failures integer DEFAULT 0 NOT NULL,
  failing_since timestamp with time zone,
  resumes_at timestamp with time zone,
  failed_at timestamp with time zone,
  failure text,
  delivered_at timestamp with time zone,
  overflowed_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  alert_id integer
) WITH ();

CREATE TABLE worker_leases (
  worker_id smallint NOT NULL,
  owner text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  last_ms bigint DEFAULT 0 NOT NULL
) WITH ();

CREATE TABLE wrong_codes (
  user_id integer NOT NULL,
  number integer NOT NULL
) WITH ();

ALTER TABLE abuse_reports ADD CONSTRAINT abuse_reports_cause_check CHECK ((cause = ANY (ARRAY['phishing'::text, 'malware'::text, 'spam'::text, 'other'::text])));

ALTER TABLE abuse_reports ADD CONSTRAINT abuse_reports_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id) ON DELETE CASCADE;

ALTER TABLE abuse_reports ADD CONSTRAINT abuse_reports_pkey PRIMARY KEY (id);

ALTER TABLE abuse_reports ADD CONSTRAINT abuse_reports_link_id_cause_key UNIQUE (link_id, cause);

ALTER TABLE alerts ADD CONSTRAINT alerts_kind_check CHECK ((kind = ANY (ARRAY['rise'::text, 'drop'::text, 'above'::text, 'below'::text])));

ALTER TABLE alerts ADD CONSTRAINT alerts_owner CHECK ((num_nonnulls(user_id, api_key_id) = 1));

ALTER TABLE alerts ADD CONSTRAINT alerts_subject_check CHECK ((subject = ANY (ARRAY['link'::text, 'host'::text, 'tag'::text, 'group'::text, 'domain'::text, 'all'::text])));

ALTER TABLE alerts ADD CONSTRAINT alerts_window_minutes_check CHECK ((((window_minutes >= 15) AND (window_minutes <= 10080)) AND ((window_minutes % 15) = 0)));

ALTER TABLE alerts ADD CONSTRAINT alerts_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id) ON DELETE CASCADE;

ALTER TABLE alerts ADD CONSTRAINT alerts_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id) ON DELETE CASCADE;

ALTER TABLE alerts ADD CONSTRAINT alerts_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id) ON DELETE CASCADE;

ALTER TABLE alerts ADD CONSTRAINT alerts_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE;

ALTER TABLE alerts ADD CONSTRAINT alerts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE alerts ADD CONSTRAINT alerts_pkey PRIMARY KEY (id);

ALTER TABLE anomaly_search ADD CONSTRAINT anomaly_search_only_row CHECK (only_row);

ALTER TABLE anomaly_search ADD CONSTRAINT anomaly_search_pkey PRIMARY KEY (only_row);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_name_key UNIQUE (name);

ALTER TABLE api_keys ADD CONSTRAINT api_keys_previous_hash_key UNIQUE (previous_hash);

ALTER TABLE archive_file_hours ADD CONSTRAINT archive_file_hours_file_id_fkey FOREIGN KEY (file_id) REFERENCES archive_files(id) ON DELETE CASCADE;

ALTER TABLE archive_file_hours ADD CONSTRAINT archive_file_hours_pkey PRIMARY KEY (file_id, hour);

ALTER TABLE archive_files ADD CONSTRAINT archive_files_check CHECK ((period_start < period_end));

ALTER TABLE archive_files ADD CONSTRAINT archive_files_level_check CHECK ((level = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text])));

ALTER TABLE archive_files ADD CONSTRAINT archive_files_sha256_check CHECK ((length(sha256) = 32));

ALTER TABLE archive_files ADD CONSTRAINT archive_files_state_check CHECK ((state = ANY (ARRAY['active'::text, 'replaced'::text, 'damaged'::text, 'expired'::text])));

ALTER TABLE archive_files ADD CONSTRAINT archive_files_visits_check CHECK ((visits > 0));

ALTER TABLE archive_files ADD CONSTRAINT archive_files_pkey PRIMARY KEY (id);

ALTER TABLE archive_files ADD CONSTRAINT archive_files_path_key UNIQUE (path);

ALTER TABLE archive_folder ADD CONSTRAINT archive_folder_singleton_check CHECK (singleton);

ALTER TABLE archive_folder ADD CONSTRAINT archive_folder_pkey PRIMARY KEY (singleton);

ALTER TABLE audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (at, id);

ALTER TABLE batch_attempts ADD CONSTRAINT batch_attempts_pkey PRIMARY KEY (consumer_group, topic, partition);

ALTER TABLE block_list ADD CONSTRAINT block_list_singleton_check CHECK (singleton);

ALTER TABLE block_list ADD CONSTRAINT block_list_pkey PRIMARY KEY (singleton);

ALTER TABLE blocks ADD CONSTRAINT blocks_action_check CHECK ((action = ANY (ARRAY['block'::text, 'warn'::text])));

ALTER TABLE blocks ADD CONSTRAINT blocks_kind_check CHECK ((kind = ANY (ARRAY['host'::text, 'pattern'::text, 'link'::text])));

ALTER TABLE blocks ADD CONSTRAINT blocks_value_check CHECK (((octet_length(value) >= 1) AND (octet_length(value) <= 2000)));

ALTER TABLE blocks ADD CONSTRAINT blocks_pkey PRIMARY KEY (id);

ALTER TABLE blocks ADD CONSTRAINT blocks_kind_value_key UNIQUE (kind, value);

ALTER TABLE consumer_checkpoints ADD CONSTRAINT consumer_checkpoints_pkey PRIMARY KEY (consumer_group, topic, partition);

ALTER TABLE day_aggregate_dimensions ADD CONSTRAINT day_aggregate_dimensions_pkey PRIMARY KEY (scope, scope_id, day_start, dimension, place);

ALTER TABLE day_aggregates ADD CONSTRAINT day_aggregates_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'domain'::text, 'group'::text, 'link'::text])));

ALTER TABLE day_aggregates ADD CONSTRAINT day_aggregates_pkey PRIMARY KEY (scope, scope_id, day_start, class);

ALTER TABLE dead_letter_states ADD CONSTRAINT dead_letter_states_state_check CHECK ((state = ANY (ARRAY['redriven'::text, 'discarded'::text])));

ALTER TABLE dead_letter_states ADD CONSTRAINT dead_letter_states_action_id_fkey FOREIGN KEY (action_id) REFERENCES operator_actions(id);

ALTER TABLE dead_letter_states ADD CONSTRAINT dead_letter_states_pkey PRIMARY KEY (topic, partition, letter_offset);

ALTER TABLE domains ADD CONSTRAINT domains_pkey PRIMARY KEY (id);

ALTER TABLE domains ADD CONSTRAINT domains_authority_key UNIQUE (authority);

ALTER TABLE doubted_sums ADD CONSTRAINT doubted_sums_singleton_check CHECK (singleton);

ALTER TABLE doubted_sums ADD CONSTRAINT doubted_sums_pkey PRIMARY KEY (singleton);

ALTER TABLE erasures ADD CONSTRAINT erasures_person_check CHECK ((person = ANY (ARRAY['visitor'::text, 'ip'::text])));

ALTER TABLE erasures ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

ALTER TABLE erasures ADD CONSTRAINT erasures_of_a_time UNIQUE (person, hash, occurred_from);

ALTER TABLE finished_purges ADD CONSTRAINT finished_purges_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id);

ALTER TABLE finished_purges ADD CONSTRAINT finished_purges_pkey PRIMARY KEY (link_id);

ALTER TABLE gateway_states ADD CONSTRAINT gateway_states_pkey PRIMARY KEY (source);

ALTER TABLE group_roles ADD CONSTRAINT group_roles_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])));

ALTER TABLE group_roles ADD CONSTRAINT group_roles_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE;

ALTER TABLE group_roles ADD CONSTRAINT group_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE group_roles ADD CONSTRAINT group_roles_pkey PRIMARY KEY (user_id, group_id);

ALTER TABLE groups ADD CONSTRAINT groups_pkey PRIMARY KEY (id);

ALTER TABLE hash_key_setting ADD CONSTRAINT hash_key_setting_singleton_check CHECK (singleton);

ALTER TABLE hash_key_setting ADD CONSTRAINT hash_key_setting_pkey PRIMARY KEY (singleton);

ALTER TABLE host_alerts ADD CONSTRAINT host_alerts_opened CHECK (((what = 'opened'::text) = (alert_id IS NULL)));

ALTER TABLE host_alerts ADD CONSTRAINT host_alerts_what CHECK ((what = ANY (ARRAY['opened'::text, 'escalated'::text, 'closed'::text])));

ALTER TABLE host_alerts ADD CONSTRAINT host_alerts_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES host_alerts(id) ON DELETE CASCADE;

ALTER TABLE host_alerts ADD CONSTRAINT host_alerts_pkey PRIMARY KEY (id);

ALTER TABLE host_batches ADD CONSTRAINT host_batches_pkey PRIMARY KEY (stream, key);

ALTER TABLE host_changes ADD CONSTRAINT host_changes_pkey PRIMARY KEY (id);

ALTER TABLE host_datacenter ADD CONSTRAINT host_datacenter_singleton_check CHECK (singleton);

ALTER TABLE host_datacenter ADD CONSTRAINT host_datacenter_pkey PRIMARY KEY (singleton);

ALTER TABLE host_feed ADD CONSTRAINT host_feed_singleton_check CHECK (singleton);

ALTER TABLE host_feed ADD CONSTRAINT host_feed_visits_check CHECK (((visits >= 0) AND (visits <= '9007199254740991'::bigint)));

ALTER TABLE host_feed ADD CONSTRAINT host_feed_pkey PRIMARY KEY (singleton);

ALTER TABLE host_feed_days ADD CONSTRAINT host_feed_days_pkey PRIMARY KEY (stream, day);

ALTER TABLE host_feed_ended ADD CONSTRAINT host_feed_ended_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id);

ALTER TABLE host_feed_ended ADD CONSTRAINT host_feed_ended_pkey PRIMARY KEY (host_id);

ALTER TABLE host_peers ADD CONSTRAINT host_peers_pkey PRIMARY KEY (dc);

ALTER TABLE host_replicas ADD CONSTRAINT host_replicas_dc_fkey FOREIGN KEY (dc) REFERENCES host_peers(dc);

ALTER TABLE host_replicas ADD CONSTRAINT host_replicas_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id);

ALTER TABLE host_replicas ADD CONSTRAINT host_replicas_pkey PRIMARY KEY (dc, kind, name, class);

ALTER TABLE host_sums ADD CONSTRAINT host_sums_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id);

ALTER TABLE host_sums ADD CONSTRAINT host_sums_pkey PRIMARY KEY (host_id);

ALTER TABLE host_surge_search ADD CONSTRAINT host_surge_search_only_row CHECK (only_row);

ALTER TABLE host_surge_search ADD CONSTRAINT host_surge_search_pkey PRIMARY KEY (only_row);

ALTER TABLE host_surges ADD CONSTRAINT host_surges_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES host_alerts(id) ON DELETE CASCADE;

ALTER TABLE host_surges ADD CONSTRAINT host_surges_pkey PRIMARY KEY (kind, host);

ALTER TABLE host_totals ADD CONSTRAINT host_totals_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id);

ALTER TABLE host_totals ADD CONSTRAINT host_totals_pkey PRIMARY KEY (kind, host_id, class, dc);

ALTER TABLE host_traffic ADD CONSTRAINT host_traffic_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id);

ALTER TABLE host_traffic ADD CONSTRAINT host_traffic_pkey PRIMARY KEY (kind, host_id, bucket, class, dc);

ALTER TABLE host_unpublished ADD CONSTRAINT host_unpublished_pkey PRIMARY KEY (host_id, class);

ALTER TABLE hosts ADD CONSTRAINT hosts_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES hosts(id);

ALTER TABLE hosts ADD CONSTRAINT hosts_pkey PRIMARY KEY (id);

ALTER TABLE hosts ADD CONSTRAINT hosts_kind_name_key UNIQUE (kind, name);

ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id) ON DELETE CASCADE;

ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_api_key_id_key_key UNIQUE (api_key_id, key);

ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_user_id_key_key UNIQUE (user_id, key);

ALTER TABLE import_identities ADD CONSTRAINT import_identities_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE;

ALTER TABLE import_identities ADD CONSTRAINT import_identities_pkey PRIMARY KEY (import_id, identity);

ALTER TABLE import_links ADD CONSTRAINT import_links_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id) ON DELETE CASCADE;

ALTER TABLE import_links ADD CONSTRAINT import_links_pkey PRIMARY KEY (name, source_key);

ALTER TABLE import_parts ADD CONSTRAINT import_parts_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE;

ALTER TABLE import_parts ADD CONSTRAINT import_parts_pkey PRIMARY KEY (import_id, part);

ALTER TABLE import_skips ADD CONSTRAINT import_skips_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE;

ALTER TABLE import_skips ADD CONSTRAINT import_skips_pkey PRIMARY KEY (import_id, place);

ALTER TABLE imports ADD CONSTRAINT imports_state_check CHECK ((state = ANY (ARRAY['uploading'::text, 'waiting'::text, 'running'::text, 'done'::text, 'failed'::text])));

ALTER TABLE imports ADD CONSTRAINT imports_author_key_id_fkey FOREIGN KEY (author_key_id) REFERENCES api_keys(id);

ALTER TABLE imports ADD CONSTRAINT imports_pkey PRIMARY KEY (id);

ALTER TABLE invites ADD CONSTRAINT invites_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])));

ALTER TABLE invites ADD CONSTRAINT invites_created_by_key_fkey FOREIGN KEY (created_by_key) REFERENCES api_keys(id) ON DELETE CASCADE;

ALTER TABLE invites ADD CONSTRAINT invites_created_by_user_fkey FOREIGN KEY (created_by_user) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE invites ADD CONSTRAINT invites_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE invites ADD CONSTRAINT invites_pkey PRIMARY KEY (token_hash);

ALTER TABLE invites ADD CONSTRAINT invites_id_key UNIQUE (id);

ALTER TABLE ledger_cluster ADD CONSTRAINT ledger_cluster_cluster_id_check CHECK ((cluster_id <> ''::text));

ALTER TABLE ledger_cluster ADD CONSTRAINT ledger_cluster_singleton_check CHECK (singleton);

ALTER TABLE ledger_cluster ADD CONSTRAINT ledger_cluster_pkey PRIMARY KEY (singleton);

ALTER TABLE ledger_incarnation ADD CONSTRAINT ledger_incarnation_singleton_check CHECK (singleton);

ALTER TABLE ledger_incarnation ADD CONSTRAINT ledger_incarnation_pkey PRIMARY KEY (singleton);

ALTER TABLE ledger_labels ADD CONSTRAINT ledger_labels_singleton_check CHECK (singleton);

ALTER TABLE ledger_labels ADD CONSTRAINT ledger_labels_pkey PRIMARY KEY (singleton);

ALTER TABLE ledger_retention ADD CONSTRAINT ledger_retention_singleton_check CHECK (singleton);

ALTER TABLE ledger_retention ADD CONSTRAINT ledger_retention_pkey PRIMARY KEY (singleton);

ALTER TABLE link_anomalies ADD CONSTRAINT link_anomalies_pkey PRIMARY KEY (link_id);

ALTER TABLE link_changes ADD CONSTRAINT link_changes_pkey PRIMARY KEY (id);

ALTER TABLE link_counts ADD CONSTRAINT link_counts_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id);

ALTER TABLE link_counts ADD CONSTRAINT link_counts_pkey PRIMARY KEY (domain_id, slot);

ALTER TABLE link_dimensions ADD CONSTRAINT link_dimensions_link_id_hour_fkey FOREIGN KEY (link_id, hour) REFERENCES link_folds(link_id, hour) ON DELETE CASCADE;

ALTER TABLE link_dimensions ADD CONSTRAINT link_dimensions_pkey PRIMARY KEY (link_id, hour, dimension, value);

ALTER TABLE link_filter ADD CONSTRAINT link_filter_is_only_check CHECK (is_only);

ALTER TABLE link_filter ADD CONSTRAINT link_filter_pkey PRIMARY KEY (is_only);

ALTER TABLE link_fold_deltas ADD CONSTRAINT link_fold_deltas_pkey PRIMARY KEY (link_id, hour, id);

ALTER TABLE link_folds ADD CONSTRAINT link_folds_pkey PRIMARY KEY (link_id, hour);

ALTER TABLE link_heat ADD CONSTRAINT link_heat_pinned_slots_check CHECK (((pinned_slots >= 1) AND (pinned_slots <= 100)));

ALTER TABLE link_heat ADD CONSTRAINT link_heat_slots_check CHECK (((slots >= 1) AND (slots <= 100)));

ALTER TABLE link_heat ADD CONSTRAINT link_heat_pkey PRIMARY KEY (link_id);

ALTER TABLE link_limits ADD CONSTRAINT link_limits_pkey PRIMARY KEY (link_id);

ALTER TABLE link_outbox ADD CONSTRAINT link_outbox_pkey PRIMARY KEY (id);

ALTER TABLE link_tags ADD CONSTRAINT link_tags_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id) ON DELETE CASCADE;

ALTER TABLE link_tags ADD CONSTRAINT link_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE;

ALTER TABLE link_tags ADD CONSTRAINT link_tags_pkey PRIMARY KEY (link_id, tag_id);

ALTER TABLE link_titles ADD CONSTRAINT link_titles_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id) ON DELETE CASCADE;

ALTER TABLE link_titles ADD CONSTRAINT link_titles_pkey PRIMARY KEY (link_id);

ALTER TABLE link_totals ADD CONSTRAINT link_totals_pkey PRIMARY KEY (link_id);

ALTER TABLE link_traffic ADD CONSTRAINT link_traffic_pkey PRIMARY KEY (link_id, bucket, class, slot_id);

ALTER TABLE link_uses ADD CONSTRAINT link_uses_pkey PRIMARY KEY (event_id);

ALTER TABLE link_visit_slots ADD CONSTRAINT link_visit_slots_pkey PRIMARY KEY (link_id, potential_bot, slot_id);

ALTER TABLE links ADD CONSTRAINT links_extra_path_check CHECK ((extra_path = ANY (ARRAY['append'::text, 'ignore'::text])));

ALTER TABLE links ADD CONSTRAINT links_max_visits_check CHECK ((max_visits > 0));

ALTER TABLE links ADD CONSTRAINT links_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text));

ALTER TABLE links ADD CONSTRAINT links_redirect_rules_check CHECK ((jsonb_typeof(redirect_rules) = 'array'::text));

ALTER TABLE links ADD CONSTRAINT links_redirect_status_check CHECK ((redirect_status = ANY (ARRAY[301, 302, 307, 308])));

ALTER TABLE links ADD CONSTRAINT links_split_check CHECK ((jsonb_typeof(split) = 'array'::text));

ALTER TABLE links ADD CONSTRAINT links_valid_since_check CHECK (isfinite(valid_since));

ALTER TABLE links ADD CONSTRAINT links_valid_until_check CHECK (isfinite(valid_until));

ALTER TABLE links ADD CONSTRAINT links_author_key_id_fkey FOREIGN KEY (author_key_id) REFERENCES api_keys(id);

ALTER TABLE links ADD CONSTRAINT links_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES domains(id);

ALTER TABLE links ADD CONSTRAINT links_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id);

ALTER TABLE links ADD CONSTRAINT links_pkey PRIMARY KEY (id);

ALTER TABLE links ADD CONSTRAINT links_domain_id_code_key UNIQUE (domain_id, code);

ALTER TABLE lost_offsets ADD CONSTRAINT lost_offsets_check CHECK ((from_offset < to_offset));

ALTER TABLE lost_offsets ADD CONSTRAINT lost_offsets_pkey PRIMARY KEY (id);

ALTER TABLE operator_actions ADD CONSTRAINT operator_actions_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'failed'::text, 'mismatch'::text])));

ALTER TABLE operator_actions ADD CONSTRAINT operator_actions_pkey PRIMARY KEY (id);

ALTER TABLE operator_jobs ADD CONSTRAINT operator_jobs_kind_check CHECK ((kind = ANY (ARRAY['rebuild'::text, 'verify'::text, 'redrive'::text, 'seal'::text, 'replay'::text])));

ALTER TABLE operator_jobs ADD CONSTRAINT operator_jobs_state_check CHECK ((state = ANY (ARRAY['planning'::text, 'planned'::text, 'running'::text, 'paused'::text, 'done'::text, 'mismatch'::text, 'failed'::text, 'cancelled'::text])));

ALTER TABLE operator_jobs ADD CONSTRAINT operator_jobs_action_id_fkey FOREIGN KEY (action_id) REFERENCES operator_actions(id);

ALTER TABLE operator_jobs ADD CONSTRAINT operator_jobs_pkey PRIMARY KEY (id);

ALTER TABLE orphan_horizon ADD CONSTRAINT orphan_horizon_singleton_check CHECK (singleton);

ALTER TABLE orphan_horizon ADD CONSTRAINT orphan_horizon_pkey PRIMARY KEY (singleton);

ALTER TABLE orphan_visits ADD CONSTRAINT orphan_visits_pkey PRIMARY KEY (occurred_at, event_id);

ALTER TABLE provider_identities ADD CONSTRAINT provider_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE provider_identities ADD CONSTRAINT provider_identities_pkey PRIMARY KEY (issuer, subject);

ALTER TABLE provider_identities ADD CONSTRAINT provider_identities_user_id_issuer_key UNIQUE (user_id, issuer);

ALTER TABLE purged_visits ADD CONSTRAINT purged_visits_pkey PRIMARY KEY (occurred_at, event_id);

ALTER TABLE quiet_host_traffic ADD CONSTRAINT quiet_host_traffic_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id);

ALTER TABLE quiet_host_traffic ADD CONSTRAINT quiet_host_traffic_pkey PRIMARY KEY (host_id);

ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);

ALTER TABLE refused_visits ADD CONSTRAINT refused_visits_pkey PRIMARY KEY (occurred_at, event_id);

ALTER TABLE relabel_files ADD CONSTRAINT relabel_files_pkey PRIMARY KEY (file_id);

ALTER TABLE relabel_moves ADD CONSTRAINT relabel_moves_file_id_fkey FOREIGN KEY (file_id) REFERENCES relabel_files(file_id) ON DELETE CASCADE;

ALTER TABLE relabel_visits ADD CONSTRAINT relabel_visits_pkey PRIMARY KEY (occurred_at, event_id);

ALTER TABLE relabels ADD CONSTRAINT relabels_pkey PRIMARY KEY (id);

ALTER TABLE schema_migrations ADD CONSTRAINT "PK_62441bec32630ced9e4cccae336" PRIMARY KEY (id);

ALTER TABLE scope_traffic ADD CONSTRAINT scope_traffic_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'domain'::text, 'group'::text])));

ALTER TABLE scope_traffic ADD CONSTRAINT scope_traffic_pkey PRIMARY KEY (scope, scope_id, bucket, class, slot_id);

ALTER TABLE sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE settings ADD CONSTRAINT settings_name_check CHECK ((name ~ '^[A-Z][A-Z_]{1,62}$'::text));

ALTER TABLE settings ADD CONSTRAINT settings_value_check CHECK (((octet_length(value) >= 1) AND (octet_length(value) <= 200)));

ALTER TABLE settings ADD CONSTRAINT settings_pkey PRIMARY KEY (name);

ALTER TABLE share_links ADD CONSTRAINT share_links_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id) ON DELETE CASCADE;

ALTER TABLE share_links ADD CONSTRAINT share_links_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE;

ALTER TABLE share_links ADD CONSTRAINT share_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE share_links ADD CONSTRAINT share_links_pkey PRIMARY KEY (id);

ALTER TABLE share_links ADD CONSTRAINT share_links_token_hash_key UNIQUE (token_hash);

ALTER TABLE slot_backfill ADD CONSTRAINT slot_backfill_singleton_check CHECK (singleton);

ALTER TABLE slot_backfill ADD CONSTRAINT slot_backfill_pkey PRIMARY KEY (singleton);

ALTER TABLE source_audits ADD CONSTRAINT source_audits_status_check CHECK ((status = ANY (ARRAY['equal'::text, 'in-doubt'::text, 'missing'::text, 'surplus'::text])));

ALTER TABLE source_audits ADD CONSTRAINT source_audits_pkey PRIMARY KEY (source, minute);

ALTER TABLE source_traffic ADD CONSTRAINT source_traffic_pkey PRIMARY KEY (source, minute, slot_id);

ALTER TABLE tag_changes ADD CONSTRAINT tag_changes_pkey PRIMARY KEY (id);

ALTER TABLE tag_totals ADD CONSTRAINT tag_totals_pkey PRIMARY KEY (tag_id);

ALTER TABLE tags ADD CONSTRAINT tags_pkey PRIMARY KEY (id);

ALTER TABLE tags ADD CONSTRAINT tags_name_key UNIQUE (name);

ALTER TABLE unattributed_purges ADD CONSTRAINT unattributed_purges_pkey PRIMARY KEY (id);

ALTER TABLE unfinished_purges ADD CONSTRAINT unfinished_purges_link_id_fkey FOREIGN KEY (link_id) REFERENCES links(id);

ALTER TABLE unfinished_purges ADD CONSTRAINT unfinished_purges_pkey PRIMARY KEY (link_id);

ALTER TABLE users ADD CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])));

ALTER TABLE users ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE users ADD CONSTRAINT users_email_key UNIQUE (email);

ALTER TABLE visit_feed ADD CONSTRAINT visit_feed_pkey PRIMARY KEY (xid, id);

ALTER TABLE visit_feed_state ADD CONSTRAINT visit_feed_state_singleton_check CHECK (singleton);

ALTER TABLE visit_feed_state ADD CONSTRAINT visit_feed_state_pkey PRIMARY KEY (singleton);

ALTER TABLE visit_writers ADD CONSTRAINT visit_writers_pkey PRIMARY KEY (name);

ALTER TABLE visits ADD CONSTRAINT visits_pkey PRIMARY KEY (occurred_at, event_id);

ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;

ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (webhook_id, event_id);

ALTER TABLE webhook_events ADD CONSTRAINT webhook_events_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;

ALTER TABLE webhook_events ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (webhook_id, event_id);

ALTER TABLE webhook_visits ADD CONSTRAINT webhook_visits_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;

ALTER TABLE webhook_visits ADD CONSTRAINT webhook_visits_pkey PRIMARY KEY (webhook_id, link_id, visits);

ALTER TABLE webhooks ADD CONSTRAINT webhooks_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alerts(id) ON DELETE CASCADE;

ALTER TABLE webhooks ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE webhooks ADD CONSTRAINT webhooks_alert_id_key UNIQUE (alert_id);

ALTER TABLE worker_leases ADD CONSTRAINT worker_leases_pkey PRIMARY KEY (worker_id);

ALTER TABLE wrong_codes ADD CONSTRAINT wrong_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;

ALTER TABLE wrong_codes ADD CONSTRAINT wrong_codes_pkey PRIMARY KEY (user_id);

CREATE INDEX abuse_reports_newest ON public.abuse_reports USING btree (last_at, id);

CREATE INDEX archive_file_hours_by_hour ON public.archive_file_hours USING btree (hour);

CREATE INDEX archive_files_active ON public.archive_files USING btree (period_start) WHERE (state = 'active'::text);

CREATE INDEX archive_files_ended ON public.archive_files USING btree (ended_at) WHERE (state <> 'active'::text);

CREATE INDEX audit_log_by_object ON public.audit_log USING btree (object, at, id);

CREATE INDEX day_aggregate_dimensions_by_day ON public.day_aggregate_dimensions USING btree (day_start);

CREATE INDEX day_aggregates_by_day ON public.day_aggregates USING btree (day_start);

CREATE UNIQUE INDEX domains_one_default ON public.domains USING btree (is_default) WHERE is_default;

CREATE INDEX erasures_by_end ON public.erasures USING btree (occurred_before);

CREATE INDEX group_roles_by_group ON public.group_roles USING btree (group_id);

CREATE INDEX host_alerts_by_alert ON public.host_alerts USING btree (alert_id, id);

CREATE INDEX host_alerts_by_host ON public.host_alerts USING btree (kind, host, at);

CREATE INDEX host_batches_by_age ON public.host_batches USING btree (accepted_at);

CREATE INDEX host_batches_whole ON public.host_batches USING btree (settled_at) WHERE (names IS NOT NULL);

CREATE INDEX host_changes_by_xid ON public.host_changes USING btree (xid);

CREATE INDEX host_changes_folded ON public.host_changes USING btree (folded_at) WHERE (folded_at IS NOT NULL);

CREATE INDEX host_changes_unfolded ON public.host_changes USING btree (id) WHERE (folded_at IS NULL);

CREATE INDEX host_sums_by_visits ON public.host_sums USING btree (kind, parent_id, visits, host_id) WHERE (visits <> 0);

CREATE INDEX host_totals_by_host ON public.host_totals USING btree (host_id);

CREATE INDEX host_traffic_by_time ON public.host_traffic USING brin (bucket) WITH (autosummarize='on');

CREATE INDEX hosts_by_parent ON public.hosts USING btree (parent_id, name);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at) INCLUDE (results);

CREATE INDEX import_links_link ON public.import_links USING btree (link_id);

CREATE INDEX imports_open ON public.imports USING btree (id) WHERE (state = ANY (ARRAY['uploading'::text, 'waiting'::text, 'running'::text]));

CREATE INDEX link_filter_gaps_by_generation ON public.link_filter_gaps USING btree (generation);

CREATE INDEX link_folds_by_hour ON public.link_folds USING btree (hour);

CREATE INDEX link_tags_by_tag ON public.link_tags USING btree (tag_id, link_id);

CREATE INDEX link_titles_due ON public.link_titles USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX link_totals_by_non_bot_visits ON public.link_totals USING btree (non_bot_visits, link_id) WHERE listed;

CREATE INDEX link_totals_by_visits ON public.link_totals USING btree (visits, link_id) WHERE listed;

CREATE INDEX link_traffic_by_time ON public.link_traffic USING brin (bucket) WITH (autosummarize='on');

CREATE INDEX link_traffic_unmerged ON public.link_traffic USING btree (bucket) WHERE (slot_id > 0);

CREATE INDEX link_uses_by_link ON public.link_uses USING btree (link_id);

CREATE INDEX link_uses_ended ON public.link_uses USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX link_uses_open ON public.link_uses USING btree (spool, source) WHERE (ended_at IS NULL);

CREATE INDEX link_visit_slots_spread ON public.link_visit_slots USING btree (link_id) WHERE (slot_id > 0);

CREATE INDEX links_by_author ON public.links USING btree (author_key_id, created_at, id) WHERE (author_key_id IS NOT NULL);

CREATE INDEX links_by_code ON public.links USING btree (code, id) WHERE (deleted_at IS NULL);

CREATE INDEX links_by_creation ON public.links USING btree (created_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX links_by_folded_code ON public.links USING btree (domain_id, lower(code));

CREATE INDEX links_by_group ON public.links USING btree (group_id, id) INCLUDE (deleted_at) WHERE (group_id IS NOT NULL);

CREATE INDEX links_by_long_url ON public.links USING btree (long_url, id) WHERE (deleted_at IS NULL);

CREATE INDEX links_by_text ON public.links USING gin (search_text gin_trgm_ops) WITH (gin_pending_list_limit='128') WHERE (deleted_at IS NULL);

CREATE INDEX links_by_title ON public.links USING btree (title NULLS FIRST, id) WHERE (deleted_at IS NULL);

CREATE INDEX links_by_url_hash ON public.links USING btree (url_hash, id) WHERE ((url_hash IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX links_crawlable ON public.links USING btree (domain_id, id) WHERE (crawlable AND (deleted_at IS NULL));

CREATE INDEX links_deleted ON public.links USING btree (id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX links_in_bin ON public.links USING btree (deleted_at, id) WHERE ((deleted_at IS NOT NULL) AND (purged_at IS NULL));

CREATE INDEX links_purged ON public.links USING btree (id) WHERE (purged_before IS NOT NULL);

CREATE INDEX links_purged_for_good ON public.links USING btree (id) WHERE (purged_at IS NOT NULL);

CREATE INDEX links_without_url_hash ON public.links USING btree (id) WHERE ((url_hash IS NULL) AND (deleted_at IS NULL));

CREATE UNIQUE INDEX operator_jobs_one_runs ON public.operator_jobs USING btree (kind) WHERE (state = 'running'::text);

CREATE INDEX operator_jobs_open ON public.operator_jobs USING btree (kind, id) WHERE (state = ANY (ARRAY['planning'::text, 'running'::text]));

CREATE INDEX orphan_visits_by_class ON public.orphan_visits USING btree (class, type);

CREATE INDEX quiet_host_traffic_by_time ON public.quiet_host_traffic USING btree (last_bucket, first_bucket);

CREATE INDEX relabel_moves_by_file ON public.relabel_moves USING btree (file_id);

CREATE UNIQUE INDEX relabels_open ON public.relabels USING btree ((true)) WHERE (ended_at IS NULL);

CREATE INDEX scope_traffic_by_time ON public.scope_traffic USING brin (bucket) WITH (autosummarize='on');

CREATE INDEX scope_traffic_unmerged ON public.scope_traffic USING btree (bucket) WHERE (slot_id > 0);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, created_at);

CREATE INDEX share_links_of_link ON public.share_links USING btree (link_id) WHERE (link_id IS NOT NULL);

CREATE INDEX share_links_of_tag ON public.share_links USING btree (tag_id) WHERE (tag_id IS NOT NULL);

CREATE INDEX share_links_of_user ON public.share_links USING btree (user_id);

CREATE INDEX source_audits_by_minute ON public.source_audits USING btree (minute);

CREATE INDEX source_audits_open ON public.source_audits USING btree (received_at) WHERE ((status IS NULL) OR (status = ANY (ARRAY['missing'::text, 'surplus'::text])));

CREATE INDEX source_audits_uncounted ON public.source_audits USING btree (minute) WHERE ((answered > 0) OR (missing <> 0));

CREATE INDEX source_traffic_by_minute ON public.source_traffic USING btree (minute);

CREATE INDEX source_traffic_unmerged ON public.source_traffic USING btree (minute) WHERE (slot_id > 0);

CREATE INDEX unattributed_purges_bucket ON public.unattributed_purges USING btree (bucket);

CREATE INDEX visits_by_link ON ONLY public.visits USING btree (link_id, occurred_at);

CREATE INDEX webhook_deliveries_by_time ON public.webhook_deliveries USING btree (webhook_id, attempted_at);

CREATE INDEX webhook_events_by_due ON public.webhook_events USING btree (webhook_id, due_at);

CREATE VIEW host_buckets AS
 SELECT host_traffic.kind,
    host_traffic.host_id,
    host_traffic.bucket,
    host_traffic.class,
    host_traffic.dc,
    host_traffic.p,
    host_traffic.n,
    host_traffic.checksum,
    host_traffic.bucket AS first_bucket,
    host_traffic.bucket AS last_bucket
   FROM host_traffic
UNION ALL
 SELECT quiet_host_buckets.kind,
    quiet_host_buckets.host_id,
    quiet_host_buckets.bucket,
    quiet_host_buckets.class,
    quiet_host_buckets.dc,
    quiet_host_buckets.p,
    quiet_host_buckets.n,
    quiet_host_buckets.checksum,
    quiet_host_buckets.first_bucket,
    quiet_host_buckets.last_bucket
   FROM quiet_host_buckets;

CREATE VIEW quiet_host_buckets AS
 SELECT quiet.kind,
    quiet.host_id,
    to_timestamp((((part.quarter)::numeric * 900.0))::double precision) AS bucket,
    part.class,
    (''::text COLLATE "C") AS dc,
    part.p,
    COALESCE(part.n, (0)::bigint) AS n,
    part.checksum,
    quiet.first_bucket,
    quiet.last_bucket
   FROM quiet_host_traffic quiet,
    LATERAL UNNEST(quiet.quarters, quiet.classes, quiet.p, quiet.n, quiet.checksums) part(quarter, class, p, n, checksum);

CREATE TRIGGER audited_delete AFTER DELETE ON public.abuse_reports REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('abuse-report', 'id', '{id}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.alerts REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('alert', 'name', '{id,created_at,looked_until,held_until,told_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.alerts REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('alert', 'name', '{id,created_at,looked_until,held_until,told_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.alerts REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('alert', 'name', '{id,created_at,looked_until,held_until,told_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.api_keys REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('api-key', 'name', '{id,created_at,last_used_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.api_keys REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('api-key', 'name', '{id,created_at,last_used_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.api_keys REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('api-key', 'name', '{id,created_at,last_used_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.blocks REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('block', 'value', '{id,created_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.blocks REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('block', 'value', '{id,created_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.blocks REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('block', 'value', '{id,created_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.domains REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('domain', 'authority', '{id}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.domains REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('domain', 'authority', '{id}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.domains REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('domain', 'authority', '{id}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.group_roles REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('group-role', 'user_id', '{}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.group_roles REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('group-role', 'user_id', '{}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.group_roles REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('group-role', 'user_id', '{}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.groups REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('group', 'id', '{id,created_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.groups REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('group', 'id', '{id,created_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.groups REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('group', 'id', '{id,created_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.host_batches REFERENCING OLD TABLE AS before FOR EACH STATEMENT WHEN ((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text)) EXECUTE FUNCTION audit_changes('host-batch', 'stream key', '{body_hash,names,counts,new_names}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.host_batches REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT WHEN ((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text)) EXECUTE FUNCTION audit_changes('host-batch', 'stream key', '{body_hash,names,counts,new_names}', '');

CREATE TRIGGER publish_added_hosts AFTER INSERT ON public.host_totals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_unpublished_hosts();

CREATE TRIGGER publish_changed_hosts AFTER UPDATE ON public.host_totals REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_unpublished_hosts();

CREATE TRIGGER publish_removed_hosts AFTER DELETE ON public.host_totals REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION note_unpublished_hosts();

CREATE TRIGGER sum_added_hosts AFTER INSERT ON public.host_totals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_hosts();

CREATE TRIGGER sum_changed_hosts AFTER UPDATE ON public.host_totals REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_hosts();

CREATE TRIGGER sum_removed_hosts AFTER DELETE ON public.host_totals REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sum_hosts();

CREATE TRIGGER audited_delete AFTER DELETE ON public.imports REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('import', 'id', '{id,created_at}', 'ended_at');

CREATE TRIGGER audited_insert AFTER INSERT ON public.imports REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('import', 'id', '{id,created_at}', 'ended_at');

CREATE TRIGGER audited_update AFTER UPDATE ON public.imports REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('import', 'id', '{id,created_at}', 'ended_at');

CREATE TRIGGER audited_delete AFTER DELETE ON public.invites REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('invite', 'user_id', '{created_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.invites REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('invite', 'user_id', '{created_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.invites REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('invite', 'user_id', '{created_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.ledger_retention REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('ledger', '', '{singleton}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.ledger_retention REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('ledger', '', '{singleton}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.ledger_retention REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('ledger', '', '{singleton}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.link_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_tags();

CREATE TRIGGER audited_insert AFTER INSERT ON public.link_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_tags();

CREATE TRIGGER links_tagged AFTER INSERT ON public.link_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tagged();

CREATE TRIGGER links_untagged AFTER DELETE ON public.link_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tagged();

CREATE TRIGGER totals_changed AFTER UPDATE ON public.link_totals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tags();

CREATE TRIGGER totals_created AFTER INSERT ON public.link_totals REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tags();

CREATE TRIGGER totals_deleted AFTER DELETE ON public.link_totals REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tags();

CREATE TRIGGER visits_reached AFTER UPDATE ON public.link_totals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tell_visits_reached();

CREATE TRIGGER audited_delete AFTER DELETE ON public.links REFERENCING OLD TABLE AS before FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('link', 'code', '{id,domain_id,search_text,url_hash,updated_at,version}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.links REFERENCING NEW TABLE AS after FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('link', 'code', '{id,domain_id,search_text,url_hash,updated_at,version}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.links REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('link', 'code', '{id,domain_id,search_text,url_hash,updated_at,version}', '');

CREATE TRIGGER links_changed AFTER UPDATE ON public.links REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION keep_link_lists();

CREATE TRIGGER links_created AFTER INSERT ON public.links REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION keep_link_lists();

CREATE TRIGGER links_created_with_limit AFTER INSERT ON public.links FOR EACH ROW WHEN ((new.max_visits IS NOT NULL)) EXECUTE FUNCTION keep_link_limit();

CREATE TRIGGER links_filtered AFTER INSERT ON public.links FOR EACH STATEMENT EXECUTE FUNCTION note_link_filter_gap();

CREATE TRIGGER links_filtered_anew AFTER UPDATE ON public.links FOR EACH ROW WHEN (((new.code <> old.code) OR ((new.long_url <> old.long_url) AND (new.long_url <> ''::text)))) EXECUTE FUNCTION note_link_filter_gap();

CREATE TRIGGER links_limit_changed AFTER UPDATE OF max_visits ON public.links FOR EACH ROW WHEN ((new.max_visits IS DISTINCT FROM old.max_visits)) EXECUTE FUNCTION keep_link_limit();

CREATE TRIGGER links_removed AFTER DELETE ON public.links REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION keep_link_lists();

CREATE TRIGGER audited_delete AFTER DELETE ON public.operator_actions REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('operation', 'command', '{id,started_at}', 'ended_at');

CREATE TRIGGER audited_insert AFTER INSERT ON public.operator_actions REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('operation', 'command', '{id,started_at}', 'ended_at');

CREATE TRIGGER audited_update AFTER UPDATE ON public.operator_actions REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('operation', 'command', '{id,started_at}', 'ended_at');

CREATE TRIGGER audited_delete AFTER DELETE ON public.operator_jobs REFERENCING OLD TABLE AS before FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('job', 'kind', '{id,created_at,started_at,ended_at,action_id,plan,counts,checkpoint,step,done,total,per_second,holder,heard_at,silent_holders,error}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.operator_jobs REFERENCING NEW TABLE AS after FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('job', 'kind', '{id,created_at,started_at,ended_at,action_id,plan,counts,checkpoint,step,done,total,per_second,holder,heard_at,silent_holders,error}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.operator_jobs REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('job', 'kind', '{id,created_at,started_at,ended_at,action_id,plan,counts,checkpoint,step,done,total,per_second,holder,heard_at,silent_holders,error}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.orphan_horizon REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('orphan-visits', '', '{singleton}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.orphan_horizon REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('orphan-visits', '', '{singleton}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.orphan_horizon REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('orphan-visits', '', '{singleton}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.provider_identities REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('provider-identity', 'user_id', '{created_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.provider_identities REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('provider-identity', 'user_id', '{created_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.provider_identities REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('provider-identity', 'user_id', '{created_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.share_links REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('share-link', 'name', '{id,created_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.share_links REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('share-link', 'name', '{id,created_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.share_links REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('share-link', 'name', '{id,created_at}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.tags REFERENCING OLD TABLE AS before FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('tag', 'name', '{id}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.tags REFERENCING NEW TABLE AS after FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('tag', 'name', '{id}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.tags REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT WHEN (((COALESCE(current_setting('hopcount.actor'::text, true), ''::text) <> ''::text) OR (current_setting('application_name'::text) = 'hopcount-api'::text))) EXECUTE FUNCTION audit_changes('tag', 'name', '{id}', '');

CREATE TRIGGER audited_delete AFTER DELETE ON public.users REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('user', 'email', '{id,created_at,last_sign_in_at,totp_last_step}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.users REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('user', 'email', '{id,created_at,last_sign_in_at,totp_last_step}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.users REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('user', 'email', '{id,created_at,last_sign_in_at,totp_last_step}', '');

CREATE TRIGGER without_hosts AFTER INSERT ON public.visits REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_unknown_hosts();

CREATE TRIGGER audited_delete AFTER DELETE ON public.webhooks REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('webhook', 'id', '{id,created_at,failures,failing_since,resumes_at,failed_at,failure,delivered_at,overflowed_at}', '');

CREATE TRIGGER audited_insert AFTER INSERT ON public.webhooks REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('webhook', 'id', '{id,created_at,failures,failing_since,resumes_at,failed_at,failure,delivered_at,overflowed_at}', '');

CREATE TRIGGER audited_update AFTER UPDATE ON public.webhooks REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION audit_changes('webhook', 'id', '{id,created_at,failures,failing_since,resumes_at,failed_at,failure,delivered_at,overflowed_at}', '');

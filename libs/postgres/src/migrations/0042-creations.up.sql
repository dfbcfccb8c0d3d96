-- What a creation of links writes, in one question: a statement of its own is a round trip, and each plan of it is made anew,
-- while those of a function in PL/pgSQL stay with the connection. Locks are taken in the order filter, names, links, tags.

-- Files links under tags that they do not have yet, creating those that are new. Link ids, tag names, places in which to answer
-- them: one of each for every tag of every link. The caller shares the names. New tags are filed in the order of their names, so
-- that two creations cannot wait for each other. What another transaction has filed since a turn began is neither seen nor
-- filed: the second turn adds it, and nobody can take it away again. Each row finds its own through an index, whatever the tables
-- were like when the plan was made.
CREATE FUNCTION tag_links(link_ids bigint[], names text[], places smallint[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
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
END $$;

-- `given`: new links as JSON, columns by name, and the authority of the domain; `are_loose`: whether codes that differ in case
-- only are the same; `held_by`: generations of the filters that have them, for the trigger that notes gaps in the others; then
-- tags as tag_links() takes them, of links that may not be created in the end. A row for each link that was created; of the
-- others the code or the id is taken, by a link before them in the array as well. In one order, so that two statements cannot
-- wait for each other. The filters are as they stay until the transaction ends.
CREATE FUNCTION create_links(
  given jsonb, are_loose boolean, held_by text, tagged bigint[], names text[], places smallint[], seek_titles boolean, is_quiet boolean
) RETURNS TABLE (
  link_id bigint, made_at timestamptz, link_version bigint, announcement bigint, current_filter text, building_filter text, is_whole boolean
)
LANGUAGE plpgsql
AS $$
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
END $$;

-- Texts of new links wait in a list until it is full; who fills it puts all of it into the index. With 4 MB, the default, that was
-- a creation of 100 ms in every 2,500; this list is full with some 75 links.
ALTER INDEX links_by_text SET (gin_pending_list_limit = 128);

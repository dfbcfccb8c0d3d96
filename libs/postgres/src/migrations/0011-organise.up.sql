-- Creations wait, look-ups do not: what those read is locked last, and briefly.
LOCK TABLE links, link_totals, link_tags IN SHARE ROW EXCLUSIVE MODE;

-- Groups that were given an order come first.
ALTER TABLE groups ADD COLUMN position integer;
CREATE INDEX links_by_group ON links (group_id, id) INCLUDE (deleted_at) WHERE group_id IS NOT NULL;

-- How many links have each tag (deleted ones do not count), and how many visits all its links together (deleted ones do).
-- A tag's sums are its row and its changes that the worker has not added to the row yet: at any moment exactly those of
-- link_tags and link_totals. Changes are rows of their own, so that no creation waits for another one with the same tag.
CREATE TABLE tag_totals (
  tag_id         integer PRIMARY KEY,
  links          bigint NOT NULL,
  visits         bigint NOT NULL,
  non_bot_visits bigint NOT NULL
) WITH (fillfactor = 80);
CREATE TABLE tag_changes (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tag_id         integer NOT NULL,
  links          bigint NOT NULL,
  visits         bigint NOT NULL,
  non_bot_visits bigint NOT NULL
);

-- Whoever tags a link holds the link's totals, so that these change before it or after it: whichever comes second sees
-- what the first did (each statement has a snapshot of its own).
-- Plans are kept for the life of a connection, and made when one row changed: they must do for 20,000 as well. So
-- each row finds its own through an index, whatever the tables were like then.
CREATE FUNCTION keep_totals_of_tagged() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM FROM link_totals WHERE link_id IN (SELECT link_id FROM changed) ORDER BY link_id FOR SHARE;
  INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
  SELECT tag_id, sign * count(*) FILTER (WHERE listed), sign * sum(visits), sign * sum(non_bot_visits)
  FROM changed JOIN link_totals USING (link_id)
  GROUP BY tag_id
  HAVING count(*) FILTER (WHERE listed) > 0 OR sum(visits) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER links_tagged AFTER INSERT ON link_tags REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tagged();
CREATE TRIGGER links_untagged AFTER DELETE ON link_tags REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tagged();

CREATE FUNCTION keep_totals_of_tags() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
    SELECT tag_id, count(*) FILTER (WHERE listed), sum(visits), sum(non_bot_visits)
    FROM after JOIN link_tags USING (link_id)
    GROUP BY tag_id;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits)
    SELECT tag_id, -count(*) FILTER (WHERE listed), -sum(visits), -sum(non_bot_visits)
    FROM before JOIN link_tags USING (link_id)
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
    JOIN link_tags USING (link_id)
    GROUP BY tag_id
    HAVING (sum(links), sum(visits), sum(non_bot_visits)) <> (0, 0, 0);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER totals_created AFTER INSERT ON link_totals REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tags();
CREATE TRIGGER totals_deleted AFTER DELETE ON link_totals REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tags();
CREATE TRIGGER totals_changed AFTER UPDATE ON link_totals REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION keep_totals_of_tags();

INSERT INTO tag_totals (tag_id, links, visits, non_bot_visits)
SELECT tag_id, count(*) FILTER (WHERE listed), sum(visits), sum(non_bot_visits)
FROM link_tags JOIN link_totals USING (link_id)
GROUP BY tag_id;

-- A row announces a link or a domain.
ALTER TABLE link_outbox ALTER COLUMN link_id DROP NOT NULL, ADD COLUMN domain_id integer;

-- Where a domain sends visitors who found nothing; null: as the gateways are set.
ALTER TABLE domains
  ADD COLUMN base_url_redirect text,
  ADD COLUMN regular_404_redirect text,
  ADD COLUMN invalid_short_url_redirect text;

-- Plans are kept for the life of a connection. Made while `link_tags` was known to be empty (vacuumed), one walked all
-- tags of links for each changed row: 20,000 rows took minutes, and each commit waited. Lateral, with OFFSET 0 against
-- being flattened, each row asks for its own; asked for as a range in the order of the primary key, it is found through
-- that index alone. So a plan does for any number of rows, whatever the tables were like when it was made.
CREATE OR REPLACE FUNCTION keep_totals_of_tagged() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
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
END $$;

CREATE OR REPLACE FUNCTION keep_totals_of_tags() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
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
END $$;

CREATE OR REPLACE FUNCTION keep_totals_of_tagged() RETURNS trigger LANGUAGE plpgsql
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

CREATE OR REPLACE FUNCTION keep_totals_of_tags() RETURNS trigger LANGUAGE plpgsql
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

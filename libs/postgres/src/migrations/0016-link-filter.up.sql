-- Which Bloom filter in Redis holds the code and the long URL of every link, deleted ones too (JSON: where it is, how it is
-- read), and which one is being made. One row. Who writes either of a link locks it FOR SHARE first, so that the worker, who
-- changes it, waits: every link is seen by the worker's scan or by a transaction that knows of the filter in the making.
CREATE TABLE link_filter (
  is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  current  jsonb,
  building jsonb
);
INSERT INTO link_filter DEFAULT VALUES;

-- Filters (generation) that lack something which was committed. A table of its own: writers must not wait for each other.
CREATE TABLE link_filter_gaps (generation text NOT NULL COLLATE "C");
CREATE INDEX link_filter_gaps_by_generation ON link_filter_gaps (generation);

-- What may be believed now; null: nothing.
CREATE FUNCTION believed_link_filter() RETURNS jsonb
LANGUAGE sql STABLE
RETURN (
  SELECT current FROM link_filter
  WHERE NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = current ->> 'generation')
);

-- For who writes links: which filters there are, the same until the transaction ends, and whether nothing is missing in the
-- current one. The lock of the row is what all rests on (it also refuses a transaction whose snapshot is too old to show the
-- filter it is for). Writers that follow each other would keep the worker from it for ever: the advisory lock, which the
-- worker takes alone, has them queue. In a statement of its own, so that the next one sees what was committed meanwhile.
CREATE FUNCTION share_link_filter() RETURNS TABLE (current jsonb, building jsonb, is_whole boolean)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('hopcount-link-filter'), 0);
  RETURN QUERY
    SELECT filter.current, filter.building,
      NOT EXISTS (SELECT FROM link_filter_gaps AS gap WHERE gap.generation = filter.current ->> 'generation')
    FROM link_filter AS filter
    FOR SHARE;
END $$;

-- Whatever writes a code or a long URL, SQL by hand and older processes too, leaves a gap in every filter which the
-- transaction has not said (hopcount.link_filters) to hold what it writes.
CREATE FUNCTION note_link_filter_gap() RETURNS trigger
LANGUAGE plpgsql AS $$
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
END $$;
CREATE TRIGGER links_filtered AFTER INSERT ON links FOR EACH STATEMENT EXECUTE FUNCTION note_link_filter_gap();
CREATE TRIGGER links_filtered_anew AFTER UPDATE ON links FOR EACH ROW
  WHEN (NEW.code <> OLD.code OR (NEW.long_url <> OLD.long_url AND NEW.long_url <> ''))
  EXECUTE FUNCTION note_link_filter_gap();
-- Also while rows are replicated or restored.
ALTER TABLE links ENABLE ALWAYS TRIGGER links_filtered, ENABLE ALWAYS TRIGGER links_filtered_anew;

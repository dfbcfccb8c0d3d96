-- Visits of all time of a host and all below it: what lists are ordered by, so that a page of them is read from the index, however
-- many names there are. Derived from host_totals, and added in the statement that changes them.
CREATE TABLE host_sums (
  host_id   integer PRIMARY KEY REFERENCES hosts,
  kind      smallint NOT NULL,
  parent_id integer NOT NULL,  -- 0: it is at the top
  visits    bigint NOT NULL,
  by_class  bigint[] NOT NULL  -- by the number of the class
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX host_sums_by_visits ON host_sums (kind, parent_id, visits, host_id) WHERE visits <> 0;

-- What host_sums has to be. Rows of hosts that have none (any more) are of no visits.
CREATE FUNCTION host_sums_of_totals() RETURNS TABLE (host_id integer, kind smallint, parent_id integer, visits bigint, by_class bigint[])
LANGUAGE sql STABLE AS $$
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
$$;

-- Whoever changes totals: the fold (of a worker of before, too), a rebuild.
CREATE FUNCTION sum_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
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
$$;

-- Nobody folds meanwhile.
SET LOCAL statement_timeout = 0;
LOCK TABLE host_totals IN SHARE ROW EXCLUSIVE MODE;
CREATE TRIGGER sum_added_hosts AFTER INSERT ON host_totals
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_hosts();
CREATE TRIGGER sum_changed_hosts AFTER UPDATE ON host_totals
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_hosts();
CREATE TRIGGER sum_removed_hosts AFTER DELETE ON host_totals
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION sum_hosts();
INSERT INTO host_sums SELECT * FROM host_sums_of_totals();

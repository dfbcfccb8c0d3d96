-- Names of hosts by which visits are counted, labels reversed ('com.example.www'), so that all that is below one stands together.
-- Addresses stand below '~ip' ('~ip.192-0-2-7'), apps below '~app'; '~unknown': no host; '~direct': no referrer. Ancestors are rows, too.
-- Each kind (its place in HOST_KINDS of contracts) has names of its own: what visitors write as referrers takes no name from targets.
-- Bounded: labels (host_name()), children of a parent and names of a kind (add-hosts.ts of libs/ledger); names beyond are counted at '~rest' of a parent.
CREATE TABLE hosts (
  id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind      smallint NOT NULL,
  name      text NOT NULL COLLATE "C",
  parent_id integer REFERENCES hosts,
  children  integer NOT NULL DEFAULT 0,
  UNIQUE (kind, name)
);
CREATE INDEX hosts_by_parent ON hosts (parent_id, name);

-- What commits, purges and others do to the counts of hosts: a row a transaction, in that transaction, so that it waits for nobody.
-- Parallel arrays, 20,000 long at most (one transaction folds a row whole): kind, host (as hosts.name), cell (10 s since 1970), class, visits added, visits
-- taken away, checksum of both. Kept for 15 minutes after the fold, for those who follow by xid.
CREATE TABLE host_changes (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid       xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kinds     smallint[] NOT NULL,
  hosts     text[] NOT NULL,
  cells     integer[] NOT NULL,
  classes   smallint[] NOT NULL,
  p         bigint[] NOT NULL,
  n         bigint[] NOT NULL,
  checksums bigint[] NOT NULL,
  entries   integer NOT NULL GENERATED ALWAYS AS (cardinality(kinds)) STORED,
  folded_at timestamptz
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX host_changes_unfolded ON host_changes (id) WHERE folded_at IS NULL;
CREATE INDEX host_changes_folded ON host_changes (folded_at) WHERE folded_at IS NOT NULL;
CREATE INDEX host_changes_by_xid ON host_changes (xid);

-- Folded of these: visits of a host by 15 minutes and class. The value is p - n; each only grows. Of every kind, the sums over all
-- hosts are those of link_traffic, and so is the XOR of the checksums.
CREATE TABLE host_traffic (
  kind     smallint NOT NULL,
  host_id  integer NOT NULL REFERENCES hosts,
  bucket   timestamptz NOT NULL,
  class    smallint NOT NULL,
  dc       text NOT NULL DEFAULT '' COLLATE "C", -- data centre that counted it; '': this one
  p        bigint NOT NULL,
  n        bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (kind, host_id, bucket, class, dc)
) WITH (fillfactor = 80);
CREATE INDEX host_traffic_by_time ON host_traffic USING brin (bucket) WITH (autosummarize = on);

CREATE TABLE host_totals (
  kind        smallint NOT NULL,
  host_id     integer NOT NULL REFERENCES hosts,
  class       smallint NOT NULL,
  dc          text NOT NULL DEFAULT '' COLLATE "C",
  p           bigint NOT NULL,
  n           bigint NOT NULL,
  last_bucket timestamptz NOT NULL,
  PRIMARY KEY (kind, host_id, class, dc)
) WITH (fillfactor = 80);
CREATE INDEX host_totals_by_host ON host_totals (host_id);

-- The name of a host as visits have it; no client makes one of ours, which begin with '~'. Of more than 8 labels it is the ancestor of 8:
-- each ancestor is a row, and a client would have 125 of them for one visit. hostName() of libs/ledger says the same.
CREATE FUNCTION host_name(host text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
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
$$;

CREATE FUNCTION host_parent(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN position('.' IN name) > 0 THEN regexp_replace(name, '\.[^.]*$', '') END
$$;

-- Where visits of a name count: there if it is known; else at '~rest' below the nearest ancestor known, if that has one. A name of more
-- than 8 labels is its ancestor.
CREATE FUNCTION host_place(kind integer, name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
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
$$;

-- Kind and name of the hosts a visit counts for. What was counted before it had hosts is '~unknown' in all of them.
CREATE FUNCTION visit_hosts(target_host text, short_host text, referrer_host text)
RETURNS TABLE (kind smallint, host text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 0::smallint, host_name(target_host) COLLATE "C"
  UNION ALL
  SELECT 1::smallint, CASE
    WHEN target_host IS NULL OR referrer_host = 'unknown' THEN '~unknown'
    WHEN referrer_host = 'direct' THEN '~direct'
    ELSE host_name(referrer_host)
  END COLLATE "C"
  UNION ALL
  SELECT 2::smallint, CASE WHEN target_host IS NULL THEN '~unknown' ELSE host_name(short_host) END COLLATE "C"
$$;

-- A consumer of before, which still counts until it is replaced, knows no hosts: what it counts is of '~unknown', a change a batch. Once
-- none runs any more the trigger may go.
CREATE FUNCTION count_unknown_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
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
$$;
CREATE TRIGGER without_hosts AFTER INSERT ON visits
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_unknown_hosts();

-- And what was counted before: from here on the sums hold at every moment. Commits and purges wait for the trigger's lock, so it is the
-- sums of all links that are read, not each link's.
SET LOCAL statement_timeout = 0;
LOCK TABLE link_traffic, scope_traffic IN SHARE MODE;
INSERT INTO hosts (kind, name) SELECT kind, name FROM generate_series(0, 3) AS kind, unnest(ARRAY['~unknown', '~direct', '~ip', '~app']) AS name;
INSERT INTO host_traffic (kind, host_id, bucket, class, p, n, checksum)
SELECT kind, hosts.id, bucket, class, visits, 0, checksum
FROM (
  SELECT bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM scope_traffic WHERE scope = 'all' AND scope_id = '' GROUP BY 1, 2
) AS counted, hosts
WHERE hosts.name = '~unknown' AND hosts.kind < 3 AND (visits, checksum) <> (0, 0);
INSERT INTO host_totals (kind, host_id, class, p, n, last_bucket)
SELECT kind, host_id, class, sum(p), 0, max(bucket) FROM host_traffic GROUP BY 1, 2, 3;

-- Relabelling moves visits of files from class to class: of which hosts they are.
ALTER TABLE relabel_moves
  ADD COLUMN target_host   text COLLATE "C",
  ADD COLUMN short_host    text COLLATE "C",
  ADD COLUMN referrer_host text COLLATE "C";

-- Names of hosts by which visits are counted, labels reversed ('com.example.www'), so that all that is below one stands together.
-- Addresses stand below '~ip' ('~ip.192-0-2-7'); '~unknown': no host; '~direct': no referrer. Ancestors are rows, too.
-- Bounded: a parent takes so many children (fold-host-changes.ts), names beyond are counted at its child '~rest'.
CREATE TABLE hosts (
  id        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name      text NOT NULL COLLATE "C" UNIQUE,
  parent_id integer REFERENCES hosts,
  children  integer NOT NULL DEFAULT 0
);
CREATE INDEX hosts_by_parent ON hosts (parent_id, name);

-- What commits, purges and others do to the counts of hosts: a row a transaction, in that transaction, so that it waits for nobody.
-- Parallel arrays: kind (its place in HOST_KINDS of contracts), host (as hosts.name), cell (10 s since 1970), class, visits added, visits
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

-- The name of a host as visits have it; no client makes one of ours, which begin with '~'. hostName() of libs/ledger says the same.
CREATE FUNCTION host_name(host text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN host IS NULL OR host = '' OR position('~' IN host) > 0 THEN '~unknown'
    WHEN host LIKE '[%' THEN '~ip.' || substr(host, 2, greatest(length(host) - 2, 0))
    WHEN host ~ '^[0-9.]+$' THEN '~ip.' || replace(host, '.', '-')
    WHEN position('.' IN host) = 0 THEN host
    ELSE (SELECT string_agg(label, '.' ORDER BY place DESC) FROM string_to_table(host, '.') WITH ORDINALITY AS part (label, place))
  END
$$;

CREATE FUNCTION host_parent(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN position('.' IN name) > 0 THEN regexp_replace(name, '\.[^.]*$', '') END
$$;

-- Where visits of a name count: there if it is known; else at '~rest' below the nearest ancestor known, if that has one.
CREATE FUNCTION host_place(name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  ancestor text := host_parent(name);
BEGIN
  IF EXISTS (SELECT FROM hosts WHERE hosts.name = host_place.name) THEN RETURN name; END IF;
  WHILE ancestor IS NOT NULL AND NOT EXISTS (SELECT FROM hosts WHERE hosts.name = ancestor) LOOP
    ancestor := host_parent(ancestor);
  END LOOP;
  ancestor := coalesce(ancestor || '.', '') || '~rest';
  RETURN CASE WHEN EXISTS (SELECT FROM hosts WHERE hosts.name = ancestor) THEN ancestor ELSE name END;
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

-- A consumer of before, which still counts until it is replaced, knows no hosts: what it counts is of '~unknown'.
CREATE FUNCTION count_unknown_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_agg(kind), array_agg(host), array_agg(floor(extract(epoch FROM NEW.occurred_at) / 10)::integer), array_agg(NEW.class),
    array_agg(1::bigint), array_agg(0::bigint), array_agg(event_checksum(NEW.event_id))
  FROM visit_hosts(NULL, NULL, NULL);
  RETURN NULL;
END
$$;
CREATE TRIGGER without_hosts AFTER INSERT ON visits
  FOR EACH ROW WHEN (NEW.target_host IS NULL) EXECUTE FUNCTION count_unknown_hosts();

-- And what was counted before: from here on the sums hold at every moment. Commits and purges wait for the trigger's lock.
SET LOCAL statement_timeout = 0;
LOCK TABLE link_traffic IN SHARE MODE;
INSERT INTO hosts (name) VALUES ('~unknown');
INSERT INTO host_traffic (kind, host_id, bucket, class, p, n, checksum)
SELECT kind, hosts.id, bucket, class, visits, 0, checksum
FROM (
  SELECT bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum FROM link_traffic GROUP BY 1, 2
) AS counted, hosts, generate_series(0, 2) AS kind
WHERE (visits, checksum) <> (0, 0);
INSERT INTO host_totals (kind, host_id, class, p, n, last_bucket)
SELECT kind, host_id, class, sum(p), 0, max(bucket) FROM host_traffic GROUP BY 1, 2, 3;

-- Relabelling moves visits of files from class to class: of which hosts they are.
ALTER TABLE relabel_moves
  ADD COLUMN target_host   text COLLATE "C",
  ADD COLUMN short_host    text COLLATE "C",
  ADD COLUMN referrer_host text COLLATE "C";

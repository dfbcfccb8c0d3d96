-- Counts of hosts in several data centres: each has a database of its own, says what it counted (host_totals of dc '') in a topic of its own
-- Kafka, and keeps copies of what its peers say. Nothing is in these tables where no peers are set.

-- What this database's data centre is called, and in which epoch it says what it counted. Which one is told by its own topic alone: a
-- database restored from a backup would go on in one in which its peers hold more.
CREATE TABLE host_datacenter (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  name      text NOT NULL COLLATE "C",
  epoch     bigint NOT NULL,
  is_whole  boolean NOT NULL -- false: of names this database has no row of, zeros are still to be said
);

-- Own totals that changed since they were published. Whoever publishes removes a row if its change is still the one it read.
CREATE SEQUENCE host_unpublished_change;
CREATE TABLE host_unpublished (
  host_id integer NOT NULL REFERENCES hosts,
  class   smallint NOT NULL,
  change  bigint NOT NULL DEFAULT nextval('host_unpublished_change'),
  PRIMARY KEY (host_id, class)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- Peers, and how far each one's topic is merged.
CREATE TABLE host_peers (
  dc          text PRIMARY KEY COLLATE "C",
  epoch       bigint,             -- null: it has not said yet that all is there
  next_offset bigint NOT NULL DEFAULT 0,
  as_of       timestamptz,        -- all it had counted by then is here
  replicas    bigint NOT NULL DEFAULT 0,
  p           numeric NOT NULL DEFAULT 0, -- of its replicas together
  n           numeric NOT NULL DEFAULT 0,
  refused     bigint NOT NULL DEFAULT 0   -- records that were no state, or beyond what is kept of a peer
);

-- The newest of what a peer said of a name and class, and where that counts here: host_totals has the sums of it, by dc.
CREATE TABLE host_replicas (
  dc      text NOT NULL COLLATE "C" REFERENCES host_peers,
  kind    smallint NOT NULL,
  name    text NOT NULL COLLATE "C",
  class   smallint NOT NULL,
  epoch   bigint NOT NULL,
  p       bigint NOT NULL,
  n       bigint NOT NULL,
  host_id integer NOT NULL REFERENCES hosts,
  PRIMARY KEY (dc, kind, name, class)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- Whoever changes own totals: the fold, a rebuild. In an epoch p and n only grow, so where one shrinks a new one begins, and everything is said in
-- it: what a database from a backup lacks is not hidden by it. Nobody folds while a rebuild does.
CREATE FUNCTION note_unpublished_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
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
    UPDATE host_datacenter SET epoch = epoch + 1, is_whole = false;
    INSERT INTO host_unpublished (host_id, class)
    SELECT host_id, class FROM host_totals WHERE dc = '' ORDER BY 1, 2
    ON CONFLICT (host_id, class) DO UPDATE SET change = excluded.change;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER publish_added_hosts AFTER INSERT ON host_totals
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_unpublished_hosts();
CREATE TRIGGER publish_changed_hosts AFTER UPDATE ON host_totals
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_unpublished_hosts();
CREATE TRIGGER publish_removed_hosts AFTER DELETE ON host_totals
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION note_unpublished_hosts();

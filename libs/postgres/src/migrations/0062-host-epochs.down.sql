SET LOCAL statement_timeout = 0;
SELECT pg_advisory_xact_lock(hashtext('fold-hosts'));
CREATE OR REPLACE FUNCTION note_unpublished_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
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
DELETE FROM host_unpublished WHERE NOT EXISTS (SELECT FROM hosts WHERE hosts.id = host_unpublished.host_id);
ALTER TABLE host_unpublished ADD CONSTRAINT host_unpublished_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts;
-- Whoever is not through with an epoch begins another one.
DELETE FROM host_datacenter WHERE NOT is_whole;
ALTER TABLE host_datacenter DROP COLUMN next_offset, DROP COLUMN marked_host, DROP COLUMN folded_to;

-- What peers said is read again from the beginning of their topics. Taken away here, where sums are made once: the next way down would have each of
-- millions of totals take its visits from all its ancestors.
ALTER TABLE host_totals DISABLE TRIGGER USER;
DELETE FROM host_totals WHERE dc <> '';
ALTER TABLE host_totals ENABLE TRIGGER USER;
TRUNCATE host_replicas;
UPDATE host_peers SET epoch = NULL, next_offset = 0, as_of = NULL, replicas = 0, p = 0, n = 0, refused = 0;
DELETE FROM host_sums;
INSERT INTO host_sums SELECT * FROM host_sums_of_totals();

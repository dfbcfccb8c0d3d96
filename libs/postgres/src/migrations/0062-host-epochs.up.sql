-- How far the own topic of counts of hosts goes as this database knows it, how far an epoch has begun, and up to when all that was counted is folded.
ALTER TABLE host_datacenter
  ADD COLUMN next_offset bigint,                   -- behind what was published last; null: nobody noted it yet
  ADD COLUMN marked_host integer NOT NULL DEFAULT 0, -- while not whole: up to this host all is noted as unpublished
  ADD COLUMN folded_to   timestamptz;              -- all that was committed before is in the totals

-- Hosts that have totals stay; looking each one up made noting all of them three times as long.
ALTER TABLE host_unpublished DROP CONSTRAINT host_unpublished_host_id_fkey;

-- Whoever changes own totals: the fold, a rebuild. In an epoch p and n only grow, so where one shrinks a new one begins, in which the publisher
-- says everything again: what a database from a backup lacks is not hidden by it. Nobody folds while a rebuild does.
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
    UPDATE host_datacenter SET epoch = epoch + 1, is_whole = false, marked_host = 0;
  END IF;
  RETURN NULL;
END
$$;

-- For operators: which checks found the sums wrong ('proof': a proof of the api), and since when. Sums of all time have no range: while only those
-- are in doubt, from_time and to_time are the same.
ALTER TABLE doubted_sums ADD COLUMN checks text[] NOT NULL DEFAULT '{proof}';
ALTER TABLE doubted_sums ADD COLUMN since timestamptz NOT NULL DEFAULT now();
UPDATE doubted_sums SET since = noted_at;

-- Whether sums by host of this data centre are those of its visits, as far as is known: no purge is left in them (see 0078), no check of hosts has found
-- them wrong.
CREATE FUNCTION own_host_sums_are_exact() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM unattributed_purges)
    AND NOT EXISTS (SELECT FROM doubted_sums WHERE checks && '{hosts,host-totals,host-sums,fed,archive}')
$$;

-- Changes that put wrong sums right: until they are folded, lists of hosts do not show it.
ALTER TABLE host_changes ADD COLUMN is_correction boolean NOT NULL DEFAULT false;

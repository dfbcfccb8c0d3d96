-- The host of what a visit was sent to, and the host that was asked: lower case, in ASCII; '~unknown' where there is none to be read.
-- null: counted before these columns were there.
ALTER TABLE visits
  ADD COLUMN target_host text COLLATE "C",
  ADD COLUMN short_host  text COLLATE "C";

-- The manifest of the archive: which Parquet files hold visits of closed hours. Files are added and replaced
-- in one transaction under the advisory lock 'archive-manifest'; nothing on disk counts without its row here.
-- Bounded: 24 rows a day and one for each late file; merges leave a few a month, and the rows of deleted files
-- go 30 days after them, with their hours.
CREATE TABLE archive_files (
  id uuid PRIMARY KEY,
  -- Within the archive's folder; never used twice.
  path text COLLATE "C" NOT NULL UNIQUE,
  level text COLLATE "C" NOT NULL CHECK (level IN ('hour', 'day', 'month')),
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  visits bigint NOT NULL CHECK (visits > 0),
  checksum bigint NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  incarnation uuid NOT NULL,
  -- active: its rows count; replaced: others hold them; damaged: no longer what the SHA-256 says; never read.
  state text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'replaced', 'damaged')),
  sealed_at timestamptz NOT NULL DEFAULT now(),
  checked_at timestamptz NOT NULL DEFAULT now(),
  -- null where no row was left to keep.
  replaced_by uuid,
  ended_at timestamptz,
  deleted_at timestamptz,
  CHECK (period_start < period_end)
);
CREATE INDEX archive_files_active ON archive_files (period_start) WHERE state = 'active';
CREATE INDEX archive_files_ended ON archive_files (ended_at) WHERE state <> 'active';

-- What a file holds of each UTC hour: compared with link_traffic, this says which hours have to be sealed.
-- A row for each hour a file has visits of: 24 a day, twice and a little more while files are merged.
CREATE TABLE archive_file_hours (
  file_id uuid NOT NULL REFERENCES archive_files ON DELETE CASCADE,
  hour timestamptz NOT NULL,
  visits bigint NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (file_id, hour)
);
CREATE INDEX archive_file_hours_by_hour ON archive_file_hours (hour);

-- Which folder holds the files: its file `archive-id` has the same id. Where it has not (not mounted, another one)
-- nothing is set aside, written or removed. One row, from the first sealing on.
CREATE TABLE archive_folder (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  id uuid NOT NULL
);

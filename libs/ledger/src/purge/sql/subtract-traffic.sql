-- $1 link; arrays in key order: bucket, class, visits, checksum. An upsert as the commit's own, so that
-- rows are locked in the same order and a missing one would show up in verify.
INSERT INTO link_traffic AS traffic (link_id, bucket, class, visits, checksum)
SELECT $1::bigint, minus.bucket, minus.class, -minus.visits, minus.checksum
FROM unnest($2::timestamptz[], $3::smallint[], $4::bigint[], $5::bigint[]) AS minus (bucket, class, visits, checksum)
ON CONFLICT (link_id, bucket, class) DO UPDATE
SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum

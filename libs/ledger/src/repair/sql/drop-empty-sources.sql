-- $1/$2 from and to. Minutes of which nothing is left.
DELETE FROM source_traffic
WHERE minute >= $1::timestamptz AND minute < $2::timestamptz AND visits = 0 AND checksum = 0

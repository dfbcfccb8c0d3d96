-- $1 link, $2 unit, $3 start
DELETE FROM link_dimensions WHERE link_id = $1 AND unit = $2 AND unit_start = $3::timestamptz

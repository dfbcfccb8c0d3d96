-- $1 data centre, $2 from and $3 to which offset of its topic. Nothing: the place moved without us.
UPDATE host_peers SET next_offset = $3 WHERE dc = $1 AND next_offset = $2
RETURNING epoch::float8 AS epoch

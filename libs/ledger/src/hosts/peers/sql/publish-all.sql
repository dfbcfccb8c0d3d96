INSERT INTO host_unpublished (host_id, class)
SELECT host_id, class FROM host_totals WHERE dc = '' ORDER BY 1, 2
ON CONFLICT (host_id, class) DO UPDATE SET change = excluded.change

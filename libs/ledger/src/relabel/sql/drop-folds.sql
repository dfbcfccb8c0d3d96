DELETE FROM link_folds AS fold
USING (SELECT DISTINCT link_id, date_bin('1 hour', bucket, '2000-01-01 00:00:00+00') AS hour FROM moves) AS moved
WHERE fold.link_id = moved.link_id AND fold.hour = moved.hour

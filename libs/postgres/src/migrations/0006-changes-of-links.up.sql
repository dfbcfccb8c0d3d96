-- Nobody asks which hours a batch touched since closed hours are not folded any more: one row per committed batch says
-- which links have new totals.
ALTER TABLE link_changes DROP COLUMN hours;

-- Nobody asks which hours a batch touched since closed hours are not folded any more: one row per committed batch says
-- which links have new totals. The version before still writes the column while this one is rolled out; the next
-- version drops it.
ALTER TABLE link_changes ALTER COLUMN hours DROP NOT NULL;

DROP TABLE orphan_visits, orphan_visit_slots, orphan_horizon;

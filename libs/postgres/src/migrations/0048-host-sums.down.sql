DROP TRIGGER sum_added_hosts ON host_totals;
DROP TRIGGER sum_changed_hosts ON host_totals;
DROP TRIGGER sum_removed_hosts ON host_totals;
DROP FUNCTION sum_hosts(), host_sums_of_totals();
DROP TABLE host_sums;

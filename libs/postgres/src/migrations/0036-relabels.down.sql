DROP TABLE relabel_moves, relabel_files, relabel_visits, relabels, ledger_labels;

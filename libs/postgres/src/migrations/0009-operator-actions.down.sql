DROP TABLE dead_letter_states;
DROP TABLE operator_actions;

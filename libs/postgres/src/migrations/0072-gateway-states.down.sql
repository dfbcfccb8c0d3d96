DROP TABLE gateway_states;

DROP TABLE hash_key_setting;

DROP FUNCTION audit_changes() CASCADE;
DROP FUNCTION audit_tags() CASCADE;
DROP FUNCTION audit_table(regclass, text, text, text[], text, text);
DROP FUNCTION audit_actor(), audit_name(jsonb, text), audit_secrets(oid), audit_shown(jsonb, text[]), audit_action(jsonb);
DROP TABLE audit_log;

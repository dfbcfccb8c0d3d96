-- Tables that in some databases were there before the audit log, in others came after it.
SELECT
  audit_table('blocks', 'block', 'value', '{id,created_at}', '', ''),
  audit_table('users', 'user', 'email', '{id,created_at,last_sign_in_at,totp_last_step}', '', ''),
  audit_table('group_roles', 'group-role', 'user_id', '{}', '', ''),
  audit_table('invites', 'invite', 'user_id', '{created_at}', '', ''),
  audit_table(
    'webhooks', 'webhook', 'id',
    '{id,created_at,failures,failing_since,resumes_at,failed_at,failure,delivered_at,overflowed_at}', '', ''
  );

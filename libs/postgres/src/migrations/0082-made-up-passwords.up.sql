-- Passwords that nobody knows: earlier versions made one up for an account that came from the provider, and when it was unbound. It
-- looked like a way to sign in, so the only owner with one could be removed. '!' before it says that there is none, as of such accounts
-- today. Only where the audit log still has what gave the account its password: a request (or command) that unbinds, or the transaction
-- that made the account and bound it. Commands give nobody a password that somebody knows; a statement that edits more than a thousand
-- users has no row for each of them. Passwords that change meanwhile stay as they are.
UPDATE users SET password_hash = '!' || users.password_hash
FROM (
  SELECT account.id, account.password_hash, entry.*
  FROM users AS account
  CROSS JOIN LATERAL (
    SELECT at, action, actor FROM audit_log
    WHERE object = account.email AND at >= date_trunc('milliseconds', account.created_at)
      AND kind = 'user' AND after ? 'password_hash'
    ORDER BY audit_log.id DESC LIMIT 1
  ) AS entry
  WHERE left(account.password_hash, 1) <> '!'
) AS latest
WHERE users.id = latest.id AND users.password_hash = latest.password_hash
  AND CASE latest.action
    WHEN 'create' THEN EXISTS (
      SELECT FROM audit_log
      WHERE object = latest.id::text AND at = latest.at AND kind = 'provider-identity' AND action = 'create' AND actor = latest.actor
    )
    ELSE latest.actor ->> 'operation' = 'unbindUser' OR latest.actor ->> 'kind' = 'cli'
  END
  AND NOT EXISTS (SELECT FROM audit_log WHERE object IS NULL AND kind = 'user' AND action = 'edit');

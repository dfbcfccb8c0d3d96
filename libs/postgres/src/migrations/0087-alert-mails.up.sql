-- Whether messages of an alert may go there. Mail goes to the address of the owner's account; owners of everything and API keys with
-- `admin` may name any address.
CREATE FUNCTION alert_may_reach(alert alerts, destination text) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT alert.channel <> 'email'
    OR EXISTS (SELECT FROM users WHERE users.id = alert.user_id AND (role = 'owner' OR destination = 'mailto:' || email))
    OR EXISTS (SELECT FROM api_keys WHERE api_keys.id = alert.api_key_id AND 'admin' = ANY (scopes))
$$;

-- How often mail to an address was tried on a day (UTC).
CREATE TABLE alert_mails (
  day     date NOT NULL,
  address text COLLATE "C" NOT NULL,
  mails   integer NOT NULL,
  CONSTRAINT alert_mails_pkey PRIMARY KEY (day, address)
);

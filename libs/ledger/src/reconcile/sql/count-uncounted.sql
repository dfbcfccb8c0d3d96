-- $1 from, $2 to: visits known not to be counted in the minutes that touch the range. What gateways reported is known as far as the
-- ledger goes back. Refused visits are known for longer: those that were counted later are forgotten with their month (see
-- forget-counted.sql). A visit in doubt that was counted after all makes `missing` negative and is taken off the answered ones.
WITH scope AS (
  SELECT greatest($1::timestamptz, (SELECT greatest(kept_from, audited_from) FROM ledger_retention)) AS from_time
)
SELECT (
  (SELECT coalesce(sum(greatest(answered + missing, 0)), 0) FROM source_audits
   WHERE (answered > 0 OR missing <> 0)
     AND minute > (SELECT from_time FROM scope) - interval '1 minute' AND minute < $2::timestamptz)
  + (SELECT count(*) FROM refused_visits AS visit
     WHERE visit.occurred_at >= $1::timestamptz AND visit.occurred_at < $2 AND NOT EXISTS (
       SELECT FROM visits AS counted
       WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id
       UNION ALL
       SELECT FROM purged_visits AS purged
       WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id
     ))
)::float8 AS uncounted

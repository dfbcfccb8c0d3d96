-- $1 from, $2 to: a month that is closed and about to go. Refused visits that were counted later, or purged: once the month is gone
-- nobody could tell them from those that never were counted.
DELETE FROM refused_visits AS visit
WHERE visit.occurred_at >= $1::timestamptz AND visit.occurred_at < $2 AND (
  EXISTS (SELECT FROM visits AS counted WHERE counted.occurred_at = visit.occurred_at AND counted.event_id = visit.event_id)
  OR EXISTS (SELECT FROM purged_visits AS purged WHERE purged.occurred_at = visit.occurred_at AND purged.event_id = visit.event_id)
)

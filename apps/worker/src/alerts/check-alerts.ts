import { randomUUID } from 'node:crypto';

import { type AlertChannel, bucketOf, visitClassNumber } from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import { alertBody, type AlertNews } from '@hopcount/links';
import { type Database, loadSql } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

const INTERVAL_MS = 60_000;
/** A visit has its time before it is published. */
const PUBLISHED_WITHIN_MS = 60_000;
/** Of one transaction. */
const ALERTS_AT_ONCE = 100;
/** As for link.anomaly: bots come in surges, and opted out is not bot. */
const CLASSES = [visitClassNumber('human'), visitClassNumber('opted-out')];

const ARE_DUE = 'SELECT FROM alerts WHERE looked_until < $1 LIMIT 1';
const JUDGE = loadSql(import.meta.url, 'sql/judge-alerts.sql');
const QUEUE = `INSERT INTO webhook_events (webhook_id, event_id, body)
  SELECT * FROM unnest($1::integer[], $2::uuid[], $3::text[])`;
const DROP_UNSEEN = loadSql(import.meta.url, 'sql/drop-unseen.sql');
/** Only today's counts are read. Yesterday's stay for a worker whose clock is behind. */
const FORGET_MAILS = 'DELETE FROM alert_mails WHERE day < CURRENT_DATE - 1';

interface AlertsDeps extends Pick<JobsDeps, 'database' | 'counted' | 'metrics' | 'logger'> {
  config: Pick<JobsDeps['config'], 'apiPublicUrl'>;
}

interface CheckedAlert extends AlertNews {
  channel: AlertChannel;
  webhookId: number;
  /** Labels reversed. */
  host: string | null;
  /** Its condition is newly met. */
  tells: boolean;
}

/** A job that checks the alerts of users, each closed window once. Two of them at once take different alerts. */
export function checkAlerts(
  { config, database, counted, metrics, logger }: AlertsDeps,
  nowMs = Date.now,
): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const closed = new Date(bucketOf(nowMs() - PUBLISHED_WITHIN_MS));
    if ((await database.query(ARE_DUE, [closed])).length === 0) return;
    // A number that is not whole yet would be a drop: while Kafka is away nothing is judged, and the next run catches up.
    const countedUpTo = await counted.measure().catch(() => undefined);
    if (countedUpTo === undefined) return;
    const until = new Date(bucketOf(Math.min(countedUpTo, nowMs()) - PUBLISHED_WITHIN_MS));
    for (let checked = 1; checked > 0 && !signal.aborted;) {
      const report = await checkNext(database, until, { now: new Date(nowMs()), dashboardUrl: config.apiPublicUrl });
      checked = report.checked;
      metrics.alertsTold.inc(report.told);
      if (report.told > 0) logger.info({ alerts: report.told }, 'alerts of users told');
    }
    await database.transaction((tx) => tx.query(DROP_UNSEEN));
    await database.query(FORGET_MAILS);
  };
  return { name: 'check-alerts', intervalMs: INTERVAL_MS, work };
}

/** The decision and the queued message are one transaction, so a killed worker tells no event twice and loses none. */
function checkNext(
  database: Database,
  until: Date,
  { now, dashboardUrl }: { now: Date; dashboardUrl: string | undefined },
): Promise<{ checked: number; told: number }> {
  return database.transaction(async (tx) => {
    const checked = await tx.query<CheckedAlert>(JUDGE, [until, ALERTS_AT_ONCE, CLASSES]);
    const told = checked.filter(({ tells }) => tells);
    failpoint('alert-decided');
    if (told.length > 0) {
      const bodies = told.map((alert) => alertBody(alert.channel, toNews(alert), now, dashboardUrl));
      await tx.query(QUEUE, [told.map(({ webhookId }) => webhookId), told.map(() => randomUUID()), bodies]);
    }
    failpoint('alert-queued');
    return { checked: checked.length, told: told.length };
  });
}

function toNews(alert: CheckedAlert): AlertNews {
  return alert.host === null ? alert : { ...alert, of: asciiOf(alert.host) };
}

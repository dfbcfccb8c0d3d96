import { CONSUMER_APPLICATION_NAME, WORKER_APPLICATION_NAME } from '@hopcount/contracts';
import type { KafkaAdmin } from '@hopcount/kafka';
import { type Database, loadSql } from '@hopcount/postgres';
import { plural } from '@hopcount/runtime';

import { readLosses } from '../commit/losses.js';
import { totalLost, totalPending } from '../lag/lag.js';
import { readLag } from '../lag/read-lag.js';
import { missingMonths } from '../retention/ledger-months.js';
import { type TopicNames, topicProblems, wantedTopics } from './check-topic.js';
import { type Check, fail, judgeGroup, judgeRetention, judgeSkew, ok, warn } from './check.js';

const READ_SERVER = loadSql(import.meta.url, 'sql/read-server.sql');
const COUNT_STATES = loadSql(import.meta.url, 'sql/count-states.sql');

interface ServerRow {
  now_ms: number;
  read_only: boolean;
  version: string;
  /** Its sessions are in UTC and bounded. */
  is_set: boolean;
  /** As SQL has its name. */
  database: string;
  /** Roles, as SQL has their names; null: none. */
  without_temporary: string | null;
  /** null: none is connected. */
  worker_seconds: number | null;
  link_changes: number;
  unannounced: number;
  in_default: number;
}

export async function checkMigrations(database: Database): Promise<Check> {
  const pending = await database.pendingMigrations();
  return pending.length === 0
    ? ok('migrations', 'up to date', { found: 'migrations-done' })
    : fail('migrations', `${plural(pending.length, 'migration')} not applied`, 'Run `hopcount migrate`.', {
        ...{ found: 'migrations-pending', advice: 'migrate', values: { count: pending.length } },
      });
}

export async function checkPostgres(database: Database): Promise<Check[]> {
  const beforeMs = Date.now();
  const [row] = await database.query<ServerRow>(READ_SERVER, [WORKER_APPLICATION_NAME, CONSUMER_APPLICATION_NAME]);
  if (row === undefined) throw new Error('read-server.sql answers one row');
  const missing = await missingMonths(database);
  return [
    checkServer(row),
    judgeSkew(row.now_ms, beforeMs, Date.now()),
    checkWorker(row),
    checkBacklog(row),
    missing.length === 0
      ? ok('ledger partitions', 'made for the next two months', { found: 'partitions-made' })
      : warn(
          'ledger partitions',
          `none for ${missing.join(', ')}`,
          'A worker makes them every hour: is one running, or does somebody hold a lock on visits? `hopcount migrate` makes them, too.',
          {
            ...{ found: 'partitions-missing', advice: 'ask-for-partitions' },
            values: { months: missing.join(', ') },
          },
        ),
    row.in_default === 0
      ? ok('default partition', 'empty', { found: 'empty' })
      : warn(
          'default partition',
          plural(row.in_default, 'visit'),
          'Visits of months without a partition: they are counted, but never expire.',
          { found: 'visits-without-partition', advice: 'forget-nothing', values: { count: row.in_default } },
        ),
  ];
}

function checkServer(row: ServerRow): Check {
  const found = `PostgreSQL ${row.version}`;
  const values = { version: row.version };
  if (row.read_only) {
    return fail('postgres', `${found}, read-only`, 'Point DATABASE_URL to the primary.', {
      ...{ found: 'postgres-read-only', advice: 'point-to-primary', values },
    });
  }
  if (!row.is_set) {
    const advice = 'Run `hopcount migrate` with the same DATABASE_URL (?pgbouncer=true), then RECONNECT at pgbouncer.';
    return fail('postgres', `${found}, sessions without UTC or without a time limit`, advice, {
      ...{ found: 'postgres-sessions-unset', advice: 'set-role', values },
    });
  }
  const { database, without_temporary: roles } = row;
  if (roles !== null) {
    const advice = `Run GRANT TEMPORARY ON DATABASE ${database} TO ${roles}: visits are copied into a temporary table, and until then none is counted.`;
    return fail('postgres', `${found}, ${roles} may not create temporary tables`, advice, {
      ...{ found: 'postgres-no-temporary-tables', advice: 'grant-temporary', values: { ...values, database, roles } },
    });
  }
  return ok('postgres', found, { found: 'postgres-answers', values });
}

const WORKER_SILENT_SECONDS = 60;
const CHANGES_BEHIND = 1_000;

/** Its totals job asks PostgreSQL every second. */
function checkWorker({ worker_seconds: seconds }: ServerRow): Check {
  const advice = 'Start a worker: lists, sealing, retention and announcements of changes wait for one.';
  if (seconds === null)
    return warn('worker', 'none is connected to PostgreSQL', advice, { found: 'worker-away', advice: 'start-worker' });
  const found = `last heard of ${Math.round(seconds)} s ago`;
  const said = { found: 'worker-heard', values: { seconds: Math.round(seconds) } } as const;
  return seconds > WORKER_SILENT_SECONDS
    ? warn('worker', found, advice, { ...said, advice: 'start-worker' })
    : ok('worker', found, said);
}

function checkBacklog({ link_changes: changes, unannounced }: ServerRow): Check {
  if (changes <= CHANGES_BEHIND && unannounced === 0) return ok('backlog', 'none', { found: 'no-backlog' });
  const found = `${plural(changes, 'batch')} not in totals yet, ${plural(unannounced, 'change')} of links not announced`;
  return warn('backlog', found, 'A worker does both within seconds: is one running, and what does its log say?', {
    ...{ found: 'backlog', advice: 'see-worker-log', values: { changes, unannounced } },
  });
}

export async function checkTopics(admin: KafkaAdmin, config: TopicNames): Promise<Check[]> {
  const names = new Set(await admin.topicNames());
  const checks: Check[] = [];
  for (const [topic, wanted] of Object.entries(wantedTopics(config))) {
    if (!names.has(topic)) {
      checks.push(
        fail(`topic ${topic}`, 'missing', 'Run `hopcount topics create`.', {
          ...{ found: 'topic-missing', advice: 'create-topics' },
        }),
      );
      continue;
    }
    const found = await admin.describeTopic(topic);
    const problems = topicProblems(found, wanted);
    checks.push(
      problems.length === 0
        ? ok(`topic ${topic}`, plural(found.partitions, 'partition'), {
            ...{ found: 'topic-partitions', values: { count: found.partitions } },
          })
        : warn(
            `topic ${topic}`,
            problems.map(({ text }) => text).join('; '),
            'Change its settings with kafka-configs.',
            {
              ...{ found: 'topic-settings', advice: 'change-topic' },
              values: { differences: problems.map(({ difference }) => difference).join('; ') },
            },
          ),
    );
  }
  return checks;
}

export async function checkConsumers(database: Database, admin: KafkaAdmin, config: TopicNames): Promise<Check> {
  const [state, lag] = await Promise.all([
    admin.groupState(config.consumerGroup),
    readLag({ config, database, admin }),
  ]);
  return judgeGroup(state, totalPending(lag));
}

/** What nobody will ever count: a warning as long as the ledger remembers it, a failure while it goes on. */
export async function checkRetention(database: Database, admin: KafkaAdmin, config: TopicNames): Promise<Check> {
  const [{ records, foundAt }, lag] = await Promise.all([
    readLosses(database, { group: config.consumerGroup, topic: config.visitsTopic }),
    readLag({ config, database, admin }),
  ]);
  return judgeRetention({ gone: Number(totalLost(lag)), noted: records, foundAt });
}

/** Letters in the topic less those redriven or discarded: enough to say that somebody has to look. */
export async function countDeadLetters(
  database: Database,
  admin: Pick<KafkaAdmin, 'topicOffsets'>,
  config: TopicNames,
): Promise<{ letters: number; waiting: number }> {
  const logs = await admin.topicOffsets(config.deadLetterTopic);
  const [row] = await database.query<{ settled: number }>(COUNT_STATES, [
    config.deadLetterTopic,
    logs.map((log) => log.partition),
    logs.map((log) => log.low.toString()),
  ]);
  const letters = logs.reduce((sum, { low, high }) => sum + Number(high - low), 0);
  return { letters, waiting: Math.max(0, letters - (row?.settled ?? 0)) };
}

export async function checkDeadLetters(database: Database, admin: KafkaAdmin, config: TopicNames): Promise<Check> {
  const { waiting } = await countDeadLetters(database, admin, config);
  return waiting === 0
    ? ok('dead letters', 'none waits', { found: 'none-waits' })
    : warn('dead letters', `${waiting} waiting`, 'See `hopcount dead-letters stats`; then redrive or discard them.', {
        ...{ found: 'letters-wait', advice: 'see-dead-letters', values: { count: waiting } },
      });
}

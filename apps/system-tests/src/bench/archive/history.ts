import type { Pool, PoolClient } from 'pg';

import { loadCorpus } from '../../harness/audience.js';
import { type BenchStack, FIRST_LINK_ID, LINKS } from '../bench-stack.js';
import { addProfiles, fillMonth, type MonthToFill, SUM_SCOPES, SUM_TRAFFIC } from './visit-rows.js';

export const DAY_MS = 86_400_000;
const DAYS = 400;
/** Drawn Zipf-like; the two special links come after them. */
const ZIPF_LINKS = 50_000;
/** Of all visits, however many those are; one in three at most. */
const SPECIAL_VISITS = { middle: 100_000, large: 1_000_000 };
/** Far down: some forty visits of 20,000,000. */
const TAIL_LINK = 40_000;

export interface HistoryLink {
  id: string;
  /** Code of the link. */
  code: string;
  visits: number;
}

export interface History {
  from: number;
  /** The start of today (UTC): all of it is closed. */
  to: number;
  visits: number;
  months: Month[];
  links: Record<'tail' | 'middle' | 'large', HistoryLink>;
}

/** A partition of the ledger, clipped to the history. */
export interface Month extends Pick<MonthToFill, 'name' | 'from' | 'to'> {
  /** Bounds of the partition. */
  starts: string;
  ends: string;
}

/**
 * 400 days of visits, made by PostgreSQL itself: rows of `visits` month by month, and `link_traffic` and `scope_traffic` summed from
 * them. One session fills months while another one indexes and sums those before. The months are UNLOGGED: nothing
 * that is measured writes to them.
 */
export async function makeHistory(bench: BenchStack): Promise<History> {
  const { pool, visits, say } = bench;
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const history = { from: to - DAYS * DAY_MS, to, visits, months: monthsBetween(to - DAYS * DAY_MS, to) };
  await prepare(pool, history.months);
  let filled = Promise.resolve();
  let finished = Promise.resolve();
  for (const month of history.months) {
    filled = filled.then(() => inSession(pool, (client) => fill(client, month, history)));
    finished = Promise.all([filled, finished]).then(async () => {
      await inSession(pool, (client) => finish(client, month));
      say(`  ${month.name} is made`);
    });
  }
  await finished;
  await inSession(pool, async (client) => {
    await client.query('ALTER TABLE link_traffic ADD PRIMARY KEY (link_id, bucket, class, slot_id)');
    await client.query('VACUUM (ANALYZE) link_traffic');
    await client.query(SUM_SCOPES('true'));
    await client.query('VACUUM (ANALYZE) scope_traffic');
    await client.query('ANALYZE visits');
  });
  return { ...history, links: await countLinks(pool) };
}

/** So many visits of today, until now, none of them sealed. The month is LOGGED from then on, as commits need it. */
export async function fillToday(pool: Pool, history: History, count: number): Promise<void> {
  const [name, month] = ['bench_today', history.months.at(-1)];
  await inSession(pool, async (client) => {
    await client.query(`DROP TABLE IF EXISTS ${name}`);
    await client.query(`CREATE UNLOGGED TABLE ${name} (LIKE visits)`);
    const today = { name, from: history.to, to: Date.now(), first: history.visits, count };
    await fillMonth(client, { ...today, totalVisits: history.visits }, linksVisited(history));
    await client.query(`ALTER TABLE ${month?.name} SET LOGGED`);
    await client.query(`INSERT INTO visits SELECT * FROM ${name}`);
    await client.query(SUM_TRAFFIC(name));
    await client.query(SUM_SCOPES(`bucket >= '${new Date(history.to).toISOString()}'`));
    await client.query(`DROP TABLE ${name}`);
    await client.query('ANALYZE visits, link_traffic, scope_traffic');
  });
}

/** Drops a month the way retention does, unless a worker has. */
export async function dropMonth(pool: Pool, month: Month): Promise<void> {
  if ((await pool.query('SELECT WHERE to_regclass($1) IS NOT NULL', [month.name])).rowCount === 0) return;
  await pool.query(`ALTER TABLE visits DETACH PARTITION ${month.name}`);
  await pool.query(`DROP TABLE ${month.name}`);
  await pool.query(
    `INSERT INTO ledger_retention (kept_from) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET kept_from = excluded.kept_from`,
    [month.ends],
  );
}

/** As the other benchmarks expect the database: without a history, with this month's partitions. */
export async function forgetHistory(pool: Pool): Promise<void> {
  await pool.query('TRUNCATE ledger_retention, archive_files, archive_file_hours, archive_folder');
  await pool.query('DROP TABLE IF EXISTS bench_profiles');
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = 'visits'::regclass AND relname <> 'visits_default'`,
  );
  for (const { name } of rows) await pool.query(`DROP TABLE ${name}`);
  await pool.query("SELECT create_visit_partitions(now() - interval '2 months', now() + interval '2 months')");
  await pool.query('DELETE FROM links WHERE id >= $1', [(FIRST_LINK_ID + BigInt(LINKS)).toString()]);
}

async function prepare(pool: Pool, months: readonly Month[]): Promise<void> {
  await pool.query(
    `INSERT INTO links (id, domain_id, code, long_url)
     SELECT $1::bigint + n, (SELECT domain_id FROM links WHERE id = $1::bigint), 'bench-' || n, 'https://example.com/page/' || n
     FROM generate_series($2::bigint, $3::bigint - 1) AS n`,
    [FIRST_LINK_ID.toString(), LINKS, ZIPF_LINKS + 2],
  );
  await inSession(pool, (client) => addProfiles(client, loadCorpus()));
  for (const { name } of months) await pool.query(`DROP TABLE IF EXISTS ${name}`);
  // Made anew once the rows are there: minutes less.
  await pool.query('ALTER TABLE link_traffic DROP CONSTRAINT link_traffic_pkey');
}

function linksVisited({ visits }: Pick<History, 'visits'>) {
  const every = (count: number) => Math.max(3, Math.round(visits / count));
  const { middle, large } = SPECIAL_VISITS;
  return { firstId: FIRST_LINK_ID, zipf: ZIPF_LINKS, every: { middle: every(middle), large: every(large) } };
}

async function fill(client: PoolClient, { name, from, to }: Month, history: Omit<History, 'links'>): Promise<void> {
  const perMs = history.visits / (history.to - history.from);
  const first = Math.round((from - history.from) * perMs);
  const count = Math.round((to - history.from) * perMs) - first;
  const month = { name, from, to, first, count, totalVisits: history.visits };
  await client.query(`CREATE UNLOGGED TABLE ${name} (LIKE visits)`);
  await fillMonth(client, month, linksVisited(history));
}

async function finish(client: PoolClient, { name, starts, ends }: Month): Promise<void> {
  await client.query(`ALTER TABLE ${name} ADD PRIMARY KEY (occurred_at, event_id)`);
  await client.query(`CREATE INDEX ON ${name} (link_id, occurred_at)`);
  await client.query(`ALTER TABLE visits ATTACH PARTITION ${name} FOR VALUES FROM ('${starts}') TO ('${ends}')`);
  await client.query(`ANALYZE ${name}`);
  await client.query(SUM_TRAFFIC(name));
}

async function countLinks(pool: Pool): Promise<History['links']> {
  const find = async (index: number): Promise<HistoryLink> => {
    const id = (FIRST_LINK_ID + BigInt(index)).toString();
    const { rows } = await pool.query<{ visits: string }>(
      'SELECT coalesce(sum(visits), 0) AS visits FROM link_traffic WHERE link_id = $1',
      [id],
    );
    return { id, code: `bench-${index}`, visits: Number(rows[0]?.visits) };
  };
  return { tail: await find(TAIL_LINK), middle: await find(ZIPF_LINKS), large: await find(ZIPF_LINKS + 1) };
}

function monthsBetween(from: number, to: number): Month[] {
  const months: Month[] = [];
  const date = new Date(from);
  for (let [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]; Date.UTC(year, month) < to; month += 1) {
    const [starts, ends] = [Date.UTC(year, month), Date.UTC(year, month + 1)];
    months.push({
      name: `visits_${new Date(starts).toISOString().slice(0, 7).replace('-', '_')}`,
      from: Math.max(starts, from),
      to: Math.min(ends, to),
      starts: new Date(starts).toISOString(),
      ends: new Date(ends).toISOString(),
    });
  }
  return months;
}

async function inSession(pool: Pool, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(
      "SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off; SET jit = off",
    );
    await work(client);
    await client.query('RESET ALL');
  } finally {
    client.release();
  }
}

import { Pool } from 'pg';

import { type RunningStack, startStack } from '../harness/stack.js';

export const LINKS = 10_000;
/** Processes of ours, one of each in a bench's stack. */
export const OUR_PROCESSES = ['gateway', 'consumer', 'worker', 'api'] as const;
/** Ids of the links the benchmarks make: FIRST_LINK_ID to FIRST_LINK_ID + LINKS - 1. */
export const FIRST_LINK_ID = 7_000_000_000_000_000_000n;

export interface BenchStack {
  stack: RunningStack;
  /** All that run, to be stopped in the end: `stack`, and those of sections that need one of their own. */
  stacks: RunningStack[];
  /** Its PostgreSQL, for setting up, resetting and looking; 16 writers at most. */
  pool: Pool;
  /** host header of the links. */
  host: string;
  /** The core of the servers and that of the load generator; null on a machine with one core. */
  cores: { servers: string; load: string } | null;
  runs: number;
  /** Of the history that is made for archive and open-day; at most of the products'. */
  visits: number;
  /** Of the soak. */
  minutes: number;
  /** Folder for the visits of the products' benchmark; undefined: they are not kept. */
  files: string | undefined;
  /** Of consumer and PostgreSQL, to be compared with those they have; see casesOf() of the consumer's benchmark. */
  settings: string | undefined;
  /** Processes worth a look in the profile, with what they did; filled by the benchmarks. */
  measured: { what: string; pid: number }[];
  say: (text: string) => void;
}

/**
 * A stack of its own with 10,000 links. Sealing is frequent, so that it never has to be waited for
 * long; everything else is as `npm start` runs it.
 */
export async function startBenchStack(options: {
  runs: number;
  visits: number;
  minutes: number;
  files: string | undefined;
  settings: string | undefined;
  cpuCount: number;
  profileDir: string | null;
}): Promise<BenchStack> {
  const { runs, visits, minutes, files, settings, cpuCount, profileDir } = options;
  const env: Record<string, string> = {
    TRUSTED_PROXIES: '127.0.0.1/32',
    SEAL_INTERVAL_MS: '10000',
    // Visits of the last 90 days are made.
    LEDGER_DAYS: '92',
    LOG_LEVEL: 'warn',
    // Its default, which specs do not have.
    API_NICE: '10',
  };
  if (profileDir !== null) {
    env['NODE_OPTIONS'] = `--import ${new URL('profile-preload.js', import.meta.url).href}`;
    env['BENCH_PROFILE_DIR'] = profileDir;
  }
  const stack = await startStack({ env });
  const pool = new Pool({ connectionString: stack.file.databaseUrl, max: 16, application_name: 'bench' });
  pool.on('error', () => undefined);
  const host = `localhost:${new URL(stack.file.gatewayUrl).port}`;
  const { rows } = await pool.query<{ id: number }>(
    `WITH added AS (INSERT INTO domains (authority, is_default)
       SELECT $1, NOT EXISTS (SELECT FROM domains WHERE is_default) ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM added UNION ALL SELECT id FROM domains WHERE authority = $1 LIMIT 1`,
    [host],
  );
  await pool.query(
    `INSERT INTO links (id, domain_id, code, long_url)
     SELECT $1::bigint + n, $2, 'bench-' || n, 'https://example.com/page/' || n FROM generate_series(0, $3::int - 1) AS n`,
    [FIRST_LINK_ID.toString(), rows[0]?.id, LINKS],
  );
  const cores = cpuCount >= 2 ? { servers: '0', load: '1' } : null;
  return {
    stack,
    stacks: [stack],
    pool,
    host,
    cores,
    runs,
    visits,
    minutes,
    files,
    settings,
    measured: [],
    say: (text) => process.stderr.write(`${text}\n`),
  };
}

/** Forgets every visit that was counted; links, checkpoints and the topic stay. */
export async function forgetVisits(pool: Pool): Promise<void> {
  await truncate(pool);
  await pool.query('INSERT INTO link_totals SELECT id, 0, 0, true FROM links WHERE deleted_at IS NULL');
  await pool.query('CHECKPOINT').catch(() => undefined); // needs a superuser; without it runs vary more
}

/** The worker's jobs read the same tables in another order: then one of the two is ended, and tries again. */
async function truncate(pool: Pool, triesLeft = 20): Promise<void> {
  try {
    await pool.query(
      `TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals, tag_totals, tag_changes,
         link_folds, link_dimensions, link_fold_deltas, link_heat, archive_files CASCADE`,
    );
  } catch (error) {
    if ((error as { code?: string }).code !== '40P01' || triesLeft === 0) throw error;
    await truncate(pool, triesLeft - 1);
  }
}

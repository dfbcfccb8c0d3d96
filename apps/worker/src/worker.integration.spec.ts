import { OperatorJobs, PartitionCheckpoints, VerificationRequests, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase, waitUntil, wrongMetricNames } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RunningWorker } from './worker.js';
import { startTestWorker } from './worker.spec-helpers.js';

const TOPIC = 'worker-spec';

describe('the worker', () => {
  let server: TestDatabase;
  let database: Database;
  const workers: RunningWorker[] = [];

  beforeEach(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'worker-spec' });
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await database.close();
    await server.drop();
  });

  const start = async (environment: Record<string, string> = {}) => {
    const worker = await startTestWorker({ topic: TOPIC, database: server, environment });
    workers.push(worker);
    return worker;
  };

  async function countVisits(count: number, atMs: number): Promise<void> {
    const ref = { group: `group-${TOPIC}`, topic: TOPIC, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    const visits = Array.from({ length: count }, () => enrichedVisit({ atMs }));
    const batch = { checkpoint, nextOffset: BigInt(count), lastRecordAtMs: atMs, visits };
    await new VisitCommitter(database, { slots: 8 }).commit(batch);
  }

  it('does not start where the brokers are another Kafka cluster than the ledger belongs to', async () => {
    await server.query(`INSERT INTO ledger_cluster (cluster_id) VALUES ('elsewhere')`);
    await countVisits(12, Date.now() - 3 * 86_400_000);
    await expect(start({ TOTALS_INTERVAL_MS: '100' })).rejects.toThrow(/belongs to the Kafka cluster elsewhere/);
    expect(await server.query('SELECT FROM link_totals')).toEqual([]);
  });

  it('keeps the totals of lists, also when two run at once', async () => {
    await countVisits(12, Date.now() - 3 * 86_400_000);
    const environment = { TOTALS_INTERVAL_MS: '100' };
    await Promise.all([start(environment), start(environment)]);
    const total = () => server.query<{ visits: string }>('SELECT visits, non_bot_visits FROM link_totals');
    const isComplete = async (rows: () => Promise<{ visits: string }[]>) => (await rows())[0]?.visits === '12';
    await waitUntil(() => isComplete(total), { describe: 'totals', timeoutMs: 20_000 });
    expect(await total()).toEqual([{ visits: '12', non_bot_visits: '12' }]);
  });

  it('makes a verification that was asked for, also one whose worker died, and says what differs', async () => {
    await countVisits(12, Date.now() - 3 * 86_400_000);
    const requests = new VerificationRequests(database);
    await requests.add('spec');
    await new OperatorJobs(database).claim('verify', '00000000-0000-4000-8000-000000000001');
    await server.query(`UPDATE operator_jobs SET heard_at = now() - interval '2 minutes'`);
    expect(await requests.list(1)).toMatchObject([{ state: 'broken-off' }]);
    await start();
    const ended = async () => (await requests.list(1)).every(({ endedAt }) => endedAt !== null);
    await waitUntil(ended, { describe: 'a verification', timeoutMs: 60_000 });
    expect(await requests.list(1)).toMatchObject([{ state: 'done', visits: 12, differences: 0, startedBy: 'spec' }]);
    const inDoubt = () => server.query<{ checks: string[] }>('SELECT checks FROM doubted_sums');
    await server.query('UPDATE link_traffic SET visits = visits + 1');
    await requests.add('spec');
    await waitUntil(ended, { describe: 'another verification', timeoutMs: 60_000 });
    expect((await requests.list(2))[0]).toMatchObject({ state: 'mismatch', visits: 12 });
    expect((await inDoubt())[0]?.checks).toContain('buckets');
    await server.query('UPDATE link_traffic SET visits = visits - 1');
    await requests.add('spec');
    await waitUntil(ended, { describe: 'a verification of repaired sums', timeoutMs: 60_000 });
    expect(await inDoubt()).toEqual([]);
  });

  it('announces changes of links that nobody announced', async () => {
    await server.query(`INSERT INTO domains (authority) VALUES ('worker.test')`);
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url, version) SELECT 1, id, 'x', 'https://example.com', 2 FROM domains`,
    );
    await server.query('INSERT INTO link_outbox (link_id) VALUES (1)');
    await start();
    const waiting = async () => Number((await server.query('SELECT count(*) AS n FROM link_outbox'))[0]?.['n']);
    await waitUntil(async () => (await waiting()) === 0, { describe: 'an empty outbox' });
  });

  it('measures every backlog, under names that Prometheus accepts', async () => {
    await countVisits(12, Date.now() - 3 * 86_400_000);
    const never = '3600000';
    const worker = await start({ TOTALS_INTERVAL_MS: never, HEAT_INTERVAL_MS: never });
    const page = await (await fetch(`${worker.opsUrl}/metrics`)).text();
    expect(wrongMetricNames(page)).toEqual([]);
    expect(page).toMatch(/^hopcount_backlog_rows\{backlog="link_changes",.*\} \d+$/m);
    expect(page).toMatch(/^hopcount_backlog_rows\{backlog="link_fold_deltas",.*\} 0$/m);
    expect(page).toMatch(/^hopcount_backlog_rows\{backlog="link_outbox",.*\} 0$/m);
  });

  it('runs the jobs of each second only while something waits for them', async () => {
    const worker = await start({ TOTALS_INTERVAL_MS: '50' });
    const runs = async (job: string) => {
      const page = await (await fetch(`${worker.opsUrl}/metrics`)).text();
      return Number(
        page.match(new RegExp(`hopcount_job_runs_total\\{job_name="${job}",outcome="ran".*\\} (\\d+)`))?.[1] ?? 0,
      );
    };
    const leave = () => server.query(`INSERT INTO link_changes (link_ids) VALUES ('{}')`);
    await waitUntil(async () => (await leave(), (await runs('refresh-totals')) > 20), {
      describe: 'runs of the totals job',
      timeoutMs: 60_000,
    });
    // At the start, and after half a minute.
    for (const idle of ['fold-tag-changes', 'merge-deltas', 'fold-hosts']) expect(await runs(idle)).toBeLessThan(6);
  });

  it('is alive and ready, and measures its jobs', async () => {
    const worker = await start({ TOTALS_INTERVAL_MS: '100' });
    const page = async (path: string) => (await fetch(`${worker.opsUrl}${path}`)).status;
    expect([await page('/livez'), await page('/readyz'), await page('/other')]).toEqual([200, 200, 404]);
    const metrics = async () => (await fetch(`${worker.opsUrl}/metrics`)).text();
    await waitUntil(
      async () => /hopcount_job_runs_total\{job_name="refresh-totals",outcome="ran"/.test(await metrics()),
      {
        describe: 'a run of the totals job',
        timeoutMs: 20_000,
      },
    );
  });
});

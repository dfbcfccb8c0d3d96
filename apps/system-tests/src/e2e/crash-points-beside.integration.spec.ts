import { existsSync, readdirSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  assertSameIds,
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import {
  type AppProcess,
  startApiProcess,
  startConsumerProcess,
  startGatewayProcess,
  startWorkerProcess,
} from '../harness/app-process.js';
import { runCli, servicesOf, verifyLedger } from '../harness/cli.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';
import { call } from '../harness/http.js';
import { LinksApi } from '../harness/links.js';

const TEST_MS = 120_000;
const NOWHERE = '127.0.0.1:1';

/** Built gateways and workers ended with kill -9 in work beside the path of a visit. */
describe('kill -9', () => {
  let topic: TestTopic;
  let deadLetters: TestTopic;
  let database: TestDatabase;
  let folder: string;
  let failpoints: FailpointFolder;
  const running: AppProcess[] = [];

  beforeEach(async () => {
    [topic, deadLetters, database, folder] = await Promise.all([
      testTopic({ partitions: 4, label: 'visits' }),
      testTopic({ label: 'letters' }),
      testDatabase(),
      mkdtemp(join(tmpdir(), 'hopcount-crash-')),
    ]);
    failpoints = new FailpointFolder(join(folder, 'failpoints'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.stop()));
    await Promise.all([topic.delete(), deadLetters.delete(), database.drop(), rm(folder, { recursive: true })]);
  });

  const started = async (starting: Promise<AppProcess>) => {
    const app = await starting;
    running.push(app);
    return app;
  };
  const armed = () => ({ HOPCOUNT_FAILPOINTS: failpoints.path });
  const verify = () => verifyLedger(database);
  const untilCounted = async (ids: readonly string[]) => {
    const counted = async () =>
      (await database.query<{ event_id: string }>('SELECT event_id FROM visits')).map((row) => row.event_id);
    await waitUntil(async () => (await counted()).length >= ids.length, {
      timeoutMs: 40_000,
      everyMs: 50,
      describe: 'all visits are counted',
    });
    assertSameIds(ids, await counted());
  };

  it(
    'a gateway between keeping a rejected visit aside and leaving it out of the spool: each is counted once',
    async () => {
      const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
      const { apiKey } = JSON.parse(stdout) as { apiKey: string };
      const api = await started(startApiProcess({ database }));
      await api.ready();
      const { shortCode } = await new LinksApi({ apiUrl: api.url, apiKey }).create({ longUrl: 'https://example.com/' });

      // Larger than the topic takes, for now.
      const probed = buildVisitEvent();
      const probe = { ...visitRecord(probed), headers: { filler: 'f'.repeat(2_000) } };
      const isTaken = () =>
        topic.produce([probe]).then(
          () => true,
          () => false,
        );
      await topic.configure({ 'max.message.bytes': '1500' });
      await waitUntil(async () => !(await isTaken()), { timeoutMs: 20_000, describe: 'the limit is in force' });

      const spoolFolder = join(folder, 'spool');
      const gateway = (environment: Record<string, string>) =>
        started(startGatewayProcess({ topic, database, spoolFolder, environment }));
      const spooling = await gateway({ KAFKA_BROKERS: NOWHERE });
      await spooling.ready();
      // The last record of the segment is a large one: with it the file would go.
      const referers = Array.from(
        { length: 40 },
        (_, n) => `https://example.com/${'r'.repeat(n % 10 === 9 ? 1_000 : 1)}`,
      );
      const visit = async (referer: string) =>
        String((await call(`${spooling.url}/${shortCode}`, { headers: { referer } })).headers['x-visit-id']);
      const ids = await Promise.all(referers.slice(0, -1).map(visit));
      ids.push(await visit(referers.at(-1)!));
      spooling.signal('SIGKILL');
      await spooling.ended;

      failpoints.arm('gateway.kept-aside-before-confirm', 'kill', 4);
      expect(await (await gateway(armed())).ended).toBe('SIGKILL');
      const rejected = join(spoolFolder, 'rejected');
      expect(readdirSync(rejected)).toHaveLength(1);

      const next = await gateway({});
      await next.ready();
      const spooled = () => next.metric('hopcount_spool_events');
      await waitUntil(async () => (await spooled()) === 0, { timeoutMs: 20_000, describe: 'the spool is empty' });
      // Files of two lives: the same four visits in both.
      expect(readdirSync(rejected)).toHaveLength(2);
      await next.stop();

      await topic.configure({ 'max.message.bytes': '1000000' });
      await waitUntil(isTaken, { timeoutMs: 20_000, describe: 'the limit is gone' });
      renameSync(rejected, join(spoolFolder, 'again'));
      await gateway({});
      await started(startConsumerProcess({ topic, database, deadLetters }));
      await untilCounted([...ids, probed.eventId]);
      expect([existsSync(rejected), await verify()]).toEqual([false, 'clean']);
    },
    TEST_MS,
  );

  it(
    'workers in the middle of merging slots: every sum stays, and the next worker merges',
    async () => {
      const [linkId, hoursAgo] = ['1001', Date.now() - 3 * 3_600_000];
      const slots = 4;
      await database.query('INSERT INTO link_heat (link_id, heat, slots, pinned_slots) VALUES ($1, 0, $2, $2)', [
        linkId,
        slots,
      ]);
      const visits = Array.from({ length: 40 }, () => buildVisitEvent({ linkId, occurredAt: hoursAgo }));
      await topic.produce(visits.map((one, n) => ({ ...visitRecord(one), partition: n % slots })));
      const consumer = await started(startConsumerProcess({ topic, database, deadLetters }));
      await untilCounted(visits.map(({ eventId }) => eventId));
      await consumer.stop();
      await database.query('DELETE FROM link_heat'); // it has cooled

      const TABLES = ['link_visit_slots', 'link_traffic', 'scope_traffic', 'source_traffic']; // in the order of a merge
      const read = (what: string) =>
        Promise.all(
          TABLES.map(
            async (table) => (await database.query<{ n: number }>(`SELECT ${what}::int AS n FROM ${table}`))[0]?.n,
          ),
        );
      const spread = () => read('count(*) FILTER (WHERE slot_id > 0)');
      const sums = () => read('sum(visits)');
      // In scope_traffic a visit counts for all links, its domain and its group.
      const all = TABLES.map((table) => visits.length * (table === 'scope_traffic' ? 3 : 1));
      const before = await spread();
      expect(before.every((rows) => Number(rows) > 0)).toBe(true);

      // Without Redis: the lease of a dead holder would be waited for.
      const environment = { REDIS_URL: `redis://${NOWHERE}`, HEAT_INTERVAL_MS: '200' };
      for (const at of TABLES.keys()) {
        failpoints.arm('worker.slots-mid-merge', 'kill', at + 1);
        const worker = await started(
          startWorkerProcess({ topic, database, environment: { ...environment, ...armed() } }),
        );
        expect(await worker.ended).toBe('SIGKILL');
        expect([await spread(), await sums(), await verify()]).toEqual([
          before.map((rows, table) => (table < at ? 0 : rows)),
          all,
          'clean',
        ]);
      }
      await started(startWorkerProcess({ topic, database, environment }));
      await waitUntil(async () => (await spread()).every((rows) => rows === 0), {
        timeoutMs: 40_000,
        describe: 'all slots are merged',
      });
      expect([await sums(), await verify()]).toEqual([all, 'clean']);
    },
    TEST_MS,
  );

  it(
    'a worker in the middle of folding an open hour: nothing of the fold stays, and the next worker folds it',
    async () => {
      const visits = Array.from({ length: 20 }, () => buildVisitEvent({ linkId: '1001', occurredAt: Date.now() }));
      await topic.produce(visits.map((one) => visitRecord(one)));
      await started(startConsumerProcess({ topic, database, deadLetters }));
      await untilCounted(visits.map(({ eventId }) => eventId));
      const folded = () =>
        database.query(
          `SELECT sum(fold.visits)::int AS visits, (SELECT count(*) > 0 FROM link_dimensions) AS "hasValues" FROM link_folds AS fold`,
        );

      const environment = { REDIS_URL: `redis://${NOWHERE}`, AGGREGATE_FROM: '10', HEAT_INTERVAL_MS: '200' };
      failpoints.arm('worker.fold-mid', 'kill', 1);
      const worker = await started(
        startWorkerProcess({ topic, database, environment: { ...environment, ...armed() } }),
      );
      expect(await worker.ended).toBe('SIGKILL');
      expect([await folded(), await verify()]).toEqual([[{ visits: null, hasValues: false }], 'clean']);

      await started(startWorkerProcess({ topic, database, environment }));
      await waitUntil(async () => (await folded())[0]?.['visits'] === visits.length, {
        timeoutMs: 40_000,
        describe: 'the hour is folded',
      });
      expect([(await folded())[0]?.['hasValues'], await verify()]).toEqual([true, 'clean']);
    },
    TEST_MS,
  );
});

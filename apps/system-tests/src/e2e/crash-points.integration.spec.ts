import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';
import {
  assertSameIds,
  buildOrphanVisit,
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startConsumerProcess } from '../harness/app-process.js';
import { runCli, servicesOf, verifyLedger } from '../harness/cli.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';
import { type Answer, call } from '../harness/http.js';
import { LinksApi } from '../harness/links.js';

const TEST_MS = 120_000;
const FIRES_WITHIN_MS = 30_000;

/**
 * Built processes ended with kill -9 at the crash points that the load of the fault suite does not reach;
 * those of visits are its faults `kill-at-*`.
 */
describe('kill -9', () => {
  let [topic, deadLetters, orphans]: (TestTopic | undefined)[] = [];
  let database: TestDatabase;
  let folder: string;
  let failpoints: FailpointFolder;
  const running: AppProcess[] = [];

  beforeEach(async () => {
    [topic, deadLetters, orphans, database, folder] = await Promise.all([
      testTopic({ label: 'visits' }),
      testTopic({ label: 'letters' }),
      testTopic({ label: 'orphans' }),
      testDatabase(),
      mkdtemp(join(tmpdir(), 'hopcount-crash-')),
    ]);
    failpoints = new FailpointFolder(join(folder, 'failpoints'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.stop()));
    const topics = [topic, deadLetters, orphans].map((one) => one?.delete());
    await Promise.all([...topics, database.drop(), rm(folder, { recursive: true })]);
  });

  const startConsumer = async () => {
    const parts = { topic: topic!, deadLetters: deadLetters!, orphans: orphans!, database };
    const consumer = await startConsumerProcess({ ...parts, environment: environment() });
    running.push(consumer);
    return consumer;
  };
  const startApi = async () => {
    const api = await startApiProcess({ database, environment: environment() });
    running.push(api);
    await api.ready();
    return api;
  };
  const environment = () => ({ HOPCOUNT_FAILPOINTS: failpoints.path });
  /** `app` reaches the point once `work` is under way, and dies there. */
  const killedAt = async (point: string, app: AppProcess, work: () => Promise<unknown> = () => Promise.resolve()) => {
    await work();
    await failpoints.waitUntilFired(point, 1, FIRES_WITHIN_MS);
    expect([await app.ended, failpoints.firedBy(point)]).toEqual(['SIGKILL', [app.pid]]);
  };
  const ids = async (table: 'visits' | 'orphan_visits') =>
    (await database.query<{ event_id: string }>(`SELECT event_id FROM ${table}`)).map((row) => row.event_id);
  const count = async (from: string) => Number((await database.query(`SELECT count(*) AS n FROM ${from}`))[0]?.['n']);
  const untilRead = async (read: TestTopic) => {
    const [{ high } = { high: '0' }] = await read.offsets();
    const checkpoint = 'SELECT next_offset FROM consumer_checkpoints WHERE topic = $1';
    const isRead = async () => (await database.query(checkpoint, [read.name]))[0]?.['next_offset'] === high;
    await waitUntil(isRead, { timeoutMs: 40_000, everyMs: 50, describe: `${read.name} is read` });
  };
  const verify = () => verifyLedger(database);

  const produceOrphans = async (count: number) => {
    const list = Array.from({ length: count }, () => buildOrphanVisit());
    await orphans!.produce(list.map((orphan) => ({ key: orphan.eventId, value: JSON.stringify(orphan) })));
    return list.map(({ eventId }) => eventId);
  };
  const untilOrphans = (wanted: readonly string[]) =>
    waitUntil(async () => (await ids('orphan_visits')).filter((id) => wanted.includes(id)).length === wanted.length, {
      timeoutMs: 60_000,
      everyMs: 50,
      describe: 'the orphan visits are in their table',
    });

  it(
    'a consumer after the commit of orphan visits: each is counted once in the end',
    async () => {
      failpoints.arm('consumer.orphans-after-commit', 'kill', 1);
      const first = await produceOrphans(100);
      await killedAt('consumer.orphans-after-commit', await startConsumer());
      expect(await ids('orphan_visits')).toHaveLength(100);
      await startConsumer();
      const later = await produceOrphans(20);
      await untilOrphans(later);
      assertSameIds([...first, ...later], await ids('orphan_visits'));
      expect(await verify()).toBe('clean');
    },
    TEST_MS,
  );

  it(
    'a consumer that dies of an orphan visit does so once: its successor reads on behind it',
    async () => {
      failpoints.arm('consumer.orphans-in-hand', 'kill', 1);
      await produceOrphans(1);
      await killedAt('consumer.orphans-in-hand', await startConsumer());
      await startConsumer();
      const later = await produceOrphans(20);
      await untilOrphans(later);
      assertSameIds(later, await ids('orphan_visits'));
    },
    TEST_MS,
  );

  it(
    'a consumer that has staged visits and not inserted them: each is counted once by its successor',
    async () => {
      failpoints.arm('consumer.after-staging', 'kill', 2);
      const visits = Array.from({ length: 40 }, () => buildVisitEvent());
      const consumer = await startConsumer();
      await topic!.produce(visits.slice(0, 20).map(visitRecord));
      await untilRead(topic!);
      await killedAt('consumer.after-staging', consumer, () => topic!.produce(visits.slice(20).map(visitRecord)));
      expect(await ids('visits')).toHaveLength(20);
      await startConsumer();
      await untilRead(topic!);
      assertSameIds(
        visits.map(({ eventId }) => eventId),
        await ids('visits'),
      );
      expect(await verify()).toBe('clean');
    },
    TEST_MS,
  );

  it(
    'a consumer whose preparing thread ends: it ends too, and its successor counts each visit once',
    async () => {
      failpoints.arm('consumer.thread-question', 'throw', 2);
      const visits = Array.from({ length: 40 }, () => buildVisitEvent());
      const consumer = await startConsumer();
      await topic!.produce(visits.slice(0, 20).map(visitRecord));
      await untilRead(topic!);
      await topic!.produce(visits.slice(20).map(visitRecord));
      await failpoints.waitUntilFired('consumer.thread-question', 1, FIRES_WITHIN_MS);
      expect(await consumer.ended).toBe(1);
      await startConsumer();
      await untilRead(topic!);
      assertSameIds(
        visits.map(({ eventId }) => eventId),
        await ids('visits'),
      );
    },
    TEST_MS,
  );

  it(
    'a consumer between the acknowledgement of a dead letter and noting it: noted once, its neighbours count once',
    async () => {
      const point = 'consumer.letters-before-noting';
      failpoints.arm(point, 'kill', 1);
      const good = Array.from({ length: 20 }, () => buildVisitEvent());
      const bad = buildVisitEvent();
      const records = good.map(visitRecord);
      const broken = { ...visitRecord(bad), value: `{broken,"source":"${bad.source}"}` };
      await topic!.produce([...records.slice(0, 9), broken, ...records.slice(9)]);
      await killedAt(point, await startConsumer());
      const letters = async () => (await deadLetters!.readAll()).map(({ key }) => String(key));
      expect([await letters(), await count('refused_visits'), await ids('visits')]).toEqual([[bad.eventId], 0, []]);
      await startConsumer();
      await untilRead(topic!);
      assertSameIds(
        good.map(({ eventId }) => eventId),
        await ids('visits'),
      );
      // Dead letters are at least once; what is noted, and decides what `verify` says, is once.
      expect(await letters()).toEqual([bad.eventId, bad.eventId]);
      expect(await database.query('SELECT event_id FROM refused_visits')).toEqual([{ event_id: bad.eventId }]);
    },
    TEST_MS,
  );

  it.each([
    ['consumer.before-loss-noted', 0],
    ['consumer.after-loss-noted', 1],
  ])(
    'a consumer that finds what retention took, at %s: the gap is noted once, the rest counts',
    async (point, noted) => {
      const visits = Array.from({ length: 30 }, () => buildVisitEvent());
      const eventIds = visits.map(({ eventId }) => eventId);
      await topic!.produce(visits.slice(0, 10).map(visitRecord));
      const first = await startConsumer();
      await untilRead(topic!);
      await first.stop();
      await topic!.produce(visits.slice(10).map(visitRecord));
      await topic!.dropBefore([{ partition: 0, offset: '17' }]);
      failpoints.arm(point, 'kill', 1);
      await killedAt(point, await startConsumer());
      expect(await count('lost_offsets')).toBe(noted);
      await startConsumer();
      await untilRead(topic!);
      assertSameIds([...eventIds.slice(0, 10), ...eventIds.slice(17)], await ids('visits'));
      expect(await database.query('SELECT from_offset, to_offset FROM lost_offsets')).toEqual([
        { from_offset: '10', to_offset: '17' },
      ]);
    },
    TEST_MS,
  );

  describe('of an API process while visits are counted', () => {
    let [link, apiKey]: [ShortUrl | undefined, string] = [undefined, ''];
    let api: AppProcess;
    const counted: string[] = [];

    beforeEach(async () => {
      await database.query(`INSERT INTO groups (id, name) VALUES ('b', 'b')`);
      const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
      apiKey = (JSON.parse(stdout) as { apiKey: string }).apiKey;
      api = await startApi();
      link = await new LinksApi({ apiUrl: api.url, apiKey }).create({ longUrl: 'https://example.com/' });
      counted.length = 0;
      await startConsumer();
      // More than one transaction of a purge.
      await visit(5_000);
    });
    const visit = async (visits: number) => {
      const made = Array.from({ length: visits }, () => buildVisitEvent({ linkId: link!.id, code: link!.shortCode }));
      await topic!.produce(made.map(visitRecord));
      await untilRead(topic!);
      counted.push(...made.map(({ eventId }) => eventId));
    };
    const ask = (method: string, path: string, body?: object): Promise<Answer> =>
      call(`${api.url}/rest/v3/short-urls/${link!.shortCode}${path}`, {
        method,
        headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
        body: JSON.stringify(body),
      });
    const dieWhileAsked = async (point: string, ...request: Parameters<typeof ask>) => {
      failpoints.arm(point, 'kill', 1);
      // A running process looks every 50 ms.
      await sleep(300);
      await killedAt(point, api, () => expect(ask(...request)).rejects.toThrow());
    };

    it.each([
      ['purge.after-mark', 5_000],
      ['purge.mid-transaction', 5_000],
      ['purge.between-transactions', 3_000],
    ])(
      'in a purge, at %s: every sum is right then, and asked again it is completed for good',
      async (point, left) => {
        await dieWhileAsked(point, 'DELETE', '/visits');
        const purged = [...counted];
        expect([
          await ids('visits').then((all) => all.length),
          await count('unfinished_purges'),
          await verify(),
        ]).toEqual([left, 1, 'clean']);
        await visit(50);
        api = await startApi();
        const { status, body } = await ask('DELETE', '/visits');
        const { deletedVisits } = JSON.parse(body) as { deletedVisits: number };
        expect([status, deletedVisits, await count('unfinished_purges')]).toEqual([200, left + 50, 0]);
        await visit(50);
        // The whole topic once more.
        await Promise.all(running.splice(0).map((app) => app.stop()));
        await database.query('UPDATE consumer_checkpoints SET next_offset = 0');
        await startConsumer();
        await untilRead(topic!);
        assertSameIds(counted.slice(purged.length + 50), await ids('visits'));
        expect(await verify()).toBe('clean');
      },
      TEST_MS,
    );

    it.each([
      ['links.before-commit', null],
      ['links.after-commit-before-announce', 'b'],
    ])(
      'in a move, at %s: the link is in one group, and a lock nobody gives back stops neither visits nor writers',
      async (point, group) => {
        await dieWhileAsked(point, 'PATCH', '', { groupId: 'b', title: 'moved' });
        const row = 'SELECT group_id, title FROM links';
        expect(await database.query(row)).toEqual([{ group_id: group, title: group === null ? null : 'moved' }]);
        await visit(50);
        api = await startApi();
        expect((await ask('PATCH', '', { groupId: 'b', title: 'again' })).status).toBe(200);
        expect(await database.query(row)).toEqual([{ group_id: 'b', title: 'again' }]);
        await visit(50);
        assertSameIds(counted, await ids('visits'));
        expect(await verify()).toBe('clean');
      },
      TEST_MS,
    );
  });
});

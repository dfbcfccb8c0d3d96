import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AcknowledgedChanges } from '../harness/acknowledged-changes.js';
import { runCli } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type Member, type PatroniCluster, startPatroniCluster } from '../harness/patroni-cluster.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 300_000;
const TEST_MS = 400_000;
const FAILOVER = { timeoutMs: 120_000, everyMs: 300 };
const TO_PURGE = 5;

describe('PostgreSQL with a synchronous standby under Patroni, behind HAProxy', () => {
  let cluster: PatroniCluster;
  let stack: RunningStack;
  let load: VisitorLoad;
  let changes: AcknowledgedChanges;
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    cluster = await startPatroniCluster();
    const env = { DATABASE_URL: cluster.url, DATABASE_READ_URL: cluster.readUrl };
    stack = await startStack({ env: { ...env, CONSUMER_DATABASE_URL: cluster.consumerUrl } });
    const api = new LinksApi(stack.file);
    const make = async (name: string) => {
      const link = await api.create({ longUrl: `https://example.com/${name}` });
      links.push(link);
      return link;
    };
    const visited: ShortUrl[] = [];
    for (let index = 0; index < 10; index += 1) visited.push(await make(`visited/${index}`));
    const toPurge: ShortUrl[] = [];
    for (let index = 0; index < TO_PURGE; index += 1) toPurge.push(await make(`purged/${index}`));
    const { gatewayUrl } = stack.file;
    const before = new VisitorLoad({ gatewayUrl, links: toPurge, seed: 30 });
    await before.run(200);
    before.close();
    load = new VisitorLoad({ gatewayUrl, links: visited, concurrency: 16, seed: 31 });
    load.absorb(before);
    changes = new AcknowledgedChanges(stack.file, [...toPurge]);
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await stack?.stop();
    await cluster?.stop();
  }, START_MS);

  const moreVisits = async (count: number) => {
    const wanted = load.acknowledged.size + count;
    const isThere = () => load.acknowledged.size >= wanted;
    await waitUntil(isThere, { timeoutMs: 120_000, describe: `${count} more visits` });
  };
  const underLoad = async (work: () => Promise<void>) => {
    const halt = new AbortController();
    const running = [load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 }), changes.run(halt.signal)];
    try {
      await work();
    } finally {
      halt.abort();
      await Promise.all(running);
    }
  };
  const pair = async (): Promise<[Member, Member]> => ((await cluster.primary()) === 'a' ? ['a', 'b'] : ['b', 'a']);
  const becomesPrimary = (member: Member) =>
    waitUntil(async () => (await cluster.primary()) === member, { ...FAILOVER, describe: `${member} is promoted` });
  const comesBack = async (member: Member) => {
    await cluster.start(member);
    await waitUntil(() => cluster.isSynchronous(), { ...FAILOVER, describe: `${member} is a synchronous standby` });
    const sql = 'SELECT pg_is_in_recovery() AS standby';
    expect(await cluster.ask(cluster.urlOf(member), sql)).toEqual({ standby: true });
  };
  const visitsIn = async (member: Member) => {
    const sql = 'SELECT count(*)::int AS visits FROM visits';
    return (await cluster.ask<{ visits: number }>(cluster.urlOf(member), sql))?.visits ?? 0;
  };
  const expectNothingLost = async () => {
    expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
    expect(await changes.lost()).toEqual([]);
    const ledger = await Ledger.open(cluster.url);
    try {
      await expectEverythingCounted(stack, { ledger, links, load, purged: changes.purged });
    } finally {
      await ledger.close();
    }
    expect((await runCli(stack.file, 'verify')).code).toBe(0);
  };

  it(
    'loses its primary under load: no acknowledged link, edit, key or purge is lost, each visit is counted once',
    async () => {
      const [old, next] = await pair();
      await underLoad(async () => {
        await moreVisits(1_000);
        await changes.more(30);
        await cluster.kill(old);
        await moreVisits(1_000);
        await becomesPrimary(next);
        await changes.more(30);
        await comesBack(old);
        await changes.more(10);
      });
      await expectNothingLost();
    },
    TEST_MS,
  );

  it(
    'promotes a standby that lacks the last counts: they are read again, and no change was acknowledged without it',
    async () => {
      const [old, next] = await pair();
      const receiver = await cluster.ask<{ pid: number }>(cluster.urlOf(next), 'SELECT pid FROM pg_stat_wal_receiver');
      process.kill(receiver!.pid, 'SIGSTOP');
      const had = await visitsIn(old);
      await load.run(1_000);
      const isCounted = async () => (await visitsIn(old)) >= had + 1_000;
      await waitUntil(isCounted, { timeoutMs: 60_000, everyMs: 300, describe: 'visits counted without the standby' });
      // PostgreSQL gives up its wait after 30 s, and says that it has committed.
      const patient = new LinksApi(stack.file, 60_000);
      const answer = await patient
        .create({ longUrl: 'https://example.com/unconfirmed' })
        .catch((error: unknown) => error);
      expect(answer).toMatchObject({ status: 503 });

      await cluster.kill(old);
      // It ends before it reads what its socket still holds.
      process.kill(receiver!.pid, 'SIGTERM');
      process.kill(receiver!.pid, 'SIGCONT');
      expect(await visitsIn(next)).toBeLessThan(had + 1_000);
      await becomesPrimary(next);
      await underLoad(async () => {
        await changes.more(10);
        await comesBack(old);
      });
      await expectNothingLost();
    },
    TEST_MS,
  );

  it(
    'changes places as planned, as the handbook says',
    async () => {
      const [old, next] = await pair();
      await underLoad(async () => {
        await changes.more(10);
        cluster.handbook('patronictl -c /etc/patroni.yml switchover');
        await becomesPrimary(next);
        await changes.more(10);
        await waitUntil(() => cluster.isSynchronous(), { ...FAILOVER, describe: `${old} follows` });
      });
      await expectNothingLost();
    },
    TEST_MS,
  );
});

import { isDeepStrictEqual } from 'node:util';

import {
  buildVisitEvent,
  serviceAddress,
  sessionTimeoutMs,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { FaultProxy } from '../chaos/fault-proxy.js';
import { type AppProcess, startConsumerProcess, startWorkerProcess } from '../harness/app-process.js';
import { verifyLedger } from '../harness/cli.js';
import { added, HostSumsOf, visitsOf } from '../harness/host-sums.js';

const TEST_MS = 240_000;
const WITHIN = { timeoutMs: 60_000, everyMs: 100 };
/** What a data centre consists of here: a ledger, a consumer, a worker, and the way to the peer's brokers. */
class Side {
  readonly running: AppProcess[] = [];
  database!: TestDatabase;
  visits!: TestTopic;
  states!: TestTopic;
  letters!: TestTopic;
  /** Through which it reads what the peer says. */
  link!: FaultProxy;

  constructor(
    readonly dc: string,
    private readonly redisDatabase: number,
  ) {}

  async prepare(): Promise<void> {
    const broker = new URL(`kafka://${serviceAddress('KAFKA_BROKERS').split(',')[0]}`);
    [this.database, this.visits, this.letters, this.states, this.link] = await Promise.all([
      testDatabase(),
      testTopic({ label: `visits-${this.dc}` }),
      testTopic({ label: `letters-${this.dc}` }),
      testTopic({ label: `states-${this.dc}` }),
      FaultProxy.listen(0, Number(broker.port), { isBroker: true }),
    ]);
    await this.states.configure({ 'cleanup.policy': 'compact' });
  }

  async start(peer: Side): Promise<void> {
    const redis = new URL(serviceAddress('REDIS_URL'));
    redis.pathname = `/${this.redisDatabase}`;
    const environment = {
      REDIS_URL: redis.href,
      DATACENTER: this.dc,
      HOST_PEERS: `${peer.dc}=127.0.0.1:${this.link.port}/${peer.states.name}`,
      HOST_STATE_TOPIC: this.states.name,
      TOTALS_INTERVAL_MS: '200',
      SESSION_TIMEOUT_MS: String(sessionTimeoutMs()),
    };
    const { visits: topic, letters: deadLetters, database } = this;
    const starting = [
      startConsumerProcess({ topic, deadLetters, database, environment }),
      startWorkerProcess({ topic, database, environment }),
    ];
    this.running.push(...(await Promise.all(starting)));
  }

  async kill(): Promise<void> {
    for (const app of this.running) app.signal('SIGKILL');
    await Promise.all(this.running.splice(0).map((app) => app.ended));
  }

  /** Visits to a few sites, half of them also visited in the other data centre. */
  async visit(count: number): Promise<void> {
    const destinations = ['https://shared.example/', `https://${this.dc}.example/`];
    const visits = Array.from({ length: count }, (_, nth) =>
      visitRecord(buildVisitEvent({ destination: destinations[nth % 2]! })),
    );
    await this.visits.produce(visits);
  }

  get sums(): HostSumsOf {
    return new HostSumsOf((statement) => this.database.query(statement));
  }

  async readUpTo(): Promise<bigint> {
    const [row] = await this.database.query<{ next_offset: string }>('SELECT next_offset FROM host_peers');
    return BigInt(row?.next_offset ?? -1);
  }

  async asOf(): Promise<number> {
    const [row] = await this.database.query<{ as_of: Date | null }>('SELECT as_of FROM host_peers');
    return row?.as_of?.getTime() ?? 0;
  }

  async close(): Promise<void> {
    await this.kill();
    await Promise.all([
      ...[this.visits, this.letters, this.states].map((topic) => topic.delete()),
      ...[this.database.drop(), this.link.close()],
    ]);
  }
}

describe('two data centres', () => {
  let [a, b]: Side[] = [];
  beforeEach(async () => {
    [a, b] = [new Side('a', 13), new Side('b', 14)];
    await Promise.all([a.prepare(), b.prepare()]);
  });
  afterEach(() => Promise.all([a!.close(), b!.close()]));

  /** Everything is counted, and both show the sum of both ledgers. */
  const untilEqual = async (visits: number, describe: string) => {
    const isEqual = async () => {
      const both = added(await a!.sums.ledger(), await b!.sums.ledger());
      if (visitsOf(both) !== visits) return false;
      return isDeepStrictEqual(await a!.sums.totals(), both) && isDeepStrictEqual(await b!.sums.totals(), both);
    };
    await waitUntil(isEqual, { ...WITHIN, describe });
  };
  const untilFolded = (side: Side, visits: number) =>
    waitUntil(async () => visitsOf(await side.sums.ownTotals()) === visits, {
      ...WITHIN,
      describe: `${side.dc} has counted ${visits} visits`,
    });

  it(
    'show the sum of both ledgers once the link between them is healed, whoever was killed or restored from a backup meanwhile',
    async () => {
      await Promise.all([a!.start(b!), b!.start(a!), a!.visit(60), b!.visit(40)]);
      await untilEqual(100, 'both are equal');

      // Nothing arrives any more, and nothing is refused.
      for (const { link } of [a!, b!]) link.break({ kind: 'blackhole' });
      const brokenAtMs = Date.now();
      const known = await a!.sums.peerTotals();
      await Promise.all([a!.visit(50), b!.visit(30)]);
      await Promise.all([untilFolded(a!, 110), untilFolded(b!, 70)]);
      await b!.kill();
      const backup = await b!.database.copy();
      await Promise.all([a!.visit(20), b!.visit(10)]);
      await untilFolded(a!, 130);
      expect(await a!.sums.peerTotals()).toEqual(known);
      expect(await a!.asOf()).toBeLessThanOrEqual(brokenAtMs);
      await b!.start(a!);
      await untilFolded(b!, 80);
      for (const { link } of [a!, b!]) {
        expect(link.touched).toBeGreaterThan(0);
        link.heal({ isSaid: false });
      }
      const healedAtMs = performance.now();
      await untilEqual(210, 'both are equal after the link is healed');
      process.stderr.write(
        `equal ${((performance.now() - healedAtMs) / 1_000).toFixed(1)} s after the link was healed\n`,
      );
      const isRecent = async () => (await a!.asOf()) > brokenAtMs;
      await waitUntil(isRecent, { ...WITHIN, describe: 'it says that all of the peer is there' });

      const before = await a!.sums.totals();
      const records = await b!.states.readAll();
      await b!.states.produce(records.reverse().map(({ key, value }) => ({ key, value })));
      const [log] = await b!.states.offsets();
      await waitUntil(async () => (await a!.readUpTo()) >= BigInt(log!.high), {
        ...WITHIN,
        describe: 'what came backwards is read',
      });
      expect(await a!.sums.totals()).toEqual(before);

      // The ten visits since are nowhere any more: neither in the ledger nor in Kafka.
      await b!.kill();
      const [end] = await b!.visits.offsets();
      await b!.visits.dropBefore([{ partition: 0, offset: end!.high }]);
      await b!.database.drop();
      b!.database = backup;
      await b!.start(a!);
      await untilEqual(200, 'A shows what the restored ledger of B has');
      await b!.visit(5);
      await untilEqual(205, 'what B counts then is there at once');

      // Deleted under those who write and read it: B makes it again.
      const deletedAtMs = Date.now();
      const deleted = b!.states;
      b!.states = await testTopic({ name: deleted.name });
      await deleted.delete();
      await b!.visit(5);
      await untilEqual(210, 'what B counts is there after its topic was deleted');
      const isAllThere = async () => (await a!.asOf()) > deletedAtMs;
      await waitUntil(isAllThere, { ...WITHIN, describe: 'all of the peer is there again' });
      const [again] = await b!.states.offsets();
      expect(Number(again!.high)).toBeGreaterThan(0);
      expect(await verifyLedger(a!.database)).toBe('clean');
    },
    TEST_MS,
  );
});

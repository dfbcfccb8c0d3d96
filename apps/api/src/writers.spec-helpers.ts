import { eventIdTimeMs } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import {
  type EnrichedVisit,
  LinkTotals,
  PartitionCheckpoints,
  StatisticsVerifier,
  VisitCommitter,
} from '@hopcount/ledger';
import { newEventId, waitUntil } from '@hopcount/testing';

const VISITS_PER_BATCH = 25;
const PAUSE_MS = 20;
const FLOWS_WITHIN_MS = 30_000;
const LOCK = { waitMs: 500, leaseMs: 30_000 };

function visitOf(linkId: string, atMs: number): EnrichedVisit {
  const eventId = newEventId(atMs);
  const place = { country: 'CH', region: 'unknown', city: 'Bern', latitude: null, longitude: null, network: 'unknown' };
  const device = { os: 'Linux', osVersion: null, browser: 'Firefox', browserVersion: null, device: 'desktop' } as const;
  return {
    ...{ eventId, occurredAtMs: eventIdTimeMs(eventId), linkId, class: atMs % 3 === 0 ? 'bot' : 'human' },
    ...{ visitor: String(atMs % 50), ip: String(atMs % 20), clientIp: null, ...place, ...device },
    ...{
      referrerHost: 'direct',
      language: 'de',
      targetHost: 'example.com',
      shortHost: 's.test',
      referrer: null,
      userAgent: null,
      destination: null,
      route: null,
      channel: 'direct',
      classReason: 'person',
      utm: null,
    },
    ...{ truncated: [], source: `gw-${atMs % 2}` },
  };
}

/** Consumers that commit visits of one link without a pause: fresh, late and repeated ones, under the read lock. */
export class Traffic {
  readonly visits: EnrichedVisit[] = [];
  readonly batches: EnrichedVisit[][] = [];
  duplicates = 0;
  purged = 0;
  #stopped = false;
  #running: Promise<void>[] = [];

  private constructor(
    private readonly database: Database,
    private readonly redis: RedisClient,
    private readonly linkId: string,
  ) {}

  static async start(addresses: { databaseUrl: string; redisUrl: string }, linkId: string): Promise<Traffic> {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const database = await Database.connect({ url: addresses.databaseUrl, applicationName: 'traffic' });
    const redis = createRedis({ url: addresses.redisUrl, name: 'traffic', logger, commandTimeoutMs: 500 });
    await waitForRedis(redis, 5_000);
    const traffic = new Traffic(database, redis, linkId);
    traffic.#running = [0, 1, 2].map((partition) => traffic.#consume(partition));
    return traffic;
  }

  /** Resolves when so many more visits are committed; a consumer that fails, or commits nothing, fails the test. */
  async flows(count: number): Promise<void> {
    const enough = this.visits.length + count;
    const committed = waitUntil(() => this.visits.length >= enough, {
      ...{ timeoutMs: FLOWS_WITHIN_MS, everyMs: 5, describe: `${count} more visits are committed` },
    });
    await Promise.race([committed, Promise.all(this.#running)]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  /** Every batch once more, as after an operator set the group back to offset 0. */
  async replay(): Promise<string[]> {
    const commit = await this.#committer(99);
    const inserted: string[] = [];
    for (const batch of this.batches) inserted.push(...(await commit(batch)).inserted);
    return inserted;
  }

  async differences() {
    const totals = new LinkTotals(this.database);
    await waitUntil(async () => (await totals.refresh()).complete, {
      everyMs: 0,
      describe: 'all totals are refreshed',
    });
    return (await new StatisticsVerifier(this.database).verify()).differences;
  }

  async close(): Promise<void> {
    await this.stop();
    this.redis.disconnect();
    await this.database.close();
  }

  async #consume(partition: number): Promise<void> {
    const commit = await this.#committer(partition);
    const locks = new LinkLocks(this.redis, { owner: `consumer-${partition}` });
    for (let n = 0; !this.#stopped; n += 1) {
      const nowMs = Date.now();
      // One in five is late by up to two hours, one batch in four repeats an older one (of any consumer).
      const fresh = Array.from({ length: VISITS_PER_BATCH }, (_, index) =>
        visitOf(this.linkId, index % 5 === 0 ? nowMs - ((nowMs * 7_919 + index) % 7_200_000) : nowMs),
      );
      const repeated = n % 4 === 3 ? (this.batches[(n * 31) % this.batches.length] ?? []) : [];
      const lease = await locks.acquireRead([this.linkId], LOCK);
      const result = await commit([...fresh, ...repeated]);
      await lease.release();
      this.duplicates += result.duplicates;
      this.purged += result.purged;
      this.batches.push(fresh);
      this.visits.push(...fresh);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #committer(partition: number) {
    const ref = { group: 'traffic', topic: 'visits', partition };
    let checkpoint = await new PartitionCheckpoints(this.database).takeOwnership(ref, 'traffic');
    const committer = new VisitCommitter(this.database, { slots: 8 });
    return async (visits: readonly EnrichedVisit[]) => {
      const nextOffset = checkpoint.nextOffset + BigInt(visits.length);
      const result = await committer.commit({ checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits });
      checkpoint = result.checkpoint;
      return result;
    };
  }
}

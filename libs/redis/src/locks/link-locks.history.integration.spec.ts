import { createLogger } from '@hopcount/runtime';
import { testRedis, type TestRedis } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { createRedis, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { LinkLocks } from './link-locks.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const PROCESSES = 4;
const LINKS = ['1', '2', '3', '12', '21'];

interface Step {
  mode: 'read' | 'write';
  links: string[];
  /** In round trips to Redis: on a slow machine everything lasts longer alike. */
  holdTrips: number;
  pauseTrips: number;
}

type Trips = (number: number) => Promise<void>;

const step: fc.Arbitrary<Step> = fc.record({
  mode: fc.constantFrom('read', 'read', 'write'),
  links: fc.uniqueArray(fc.constantFrom(...LINKS), { minLength: 1, maxLength: 3 }),
  holdTrips: fc.integer({ min: 0, max: 4 }),
  pauseTrips: fc.integer({ min: 0, max: 2 }),
});

/** Who is inside, kept by the test itself: entered after the grant, left before the release. */
class Room {
  readonly #inside = new Map<string, { readers: number; writers: number }>();
  readonly violations: string[] = [];
  reads = 0;
  writes = 0;

  enter({ mode, links }: Step): void {
    if (mode === 'read') this.reads += 1;
    else this.writes += 1;
    for (const link of links) {
      const now = this.#at(link);
      if (mode === 'read') now.readers += 1;
      else now.writers += 1;
      if (now.writers > 1 || (now.writers > 0 && now.readers > 0)) {
        this.violations.push(`link ${link}: ${now.readers} readers beside ${now.writers} writers`);
      }
    }
  }

  leave({ mode, links }: Step): void {
    for (const link of links) {
      if (mode === 'read') this.#at(link).readers -= 1;
      else this.#at(link).writers -= 1;
    }
  }

  #at(link: string) {
    let now = this.#inside.get(link);
    if (now === undefined) this.#inside.set(link, (now = { readers: 0, writers: 0 }));
    return now;
  }
}

async function play(locks: LinkLocks, steps: readonly Step[], room: Room, trips: Trips): Promise<void> {
  for (const current of steps) {
    const options = { waitMs: 30_000, leaseMs: 60_000 };
    if (current.mode === 'write') {
      const lease = await locks.acquireWrite(current.links, options);
      room.enter(current);
      await trips(current.holdTrips);
      room.leave(current);
      expect(await lease.release()).toBe(true);
    } else {
      const lease = await locks.acquireRead(current.links, options);
      expect(lease.held).toBe(true);
      room.enter(current);
      await trips(current.holdTrips);
      room.leave(current);
      expect(await lease.release()).toBe(true);
    }
    await trips(current.pauseTrips);
  }
}

describe('histories of the link lock', () => {
  let server: TestRedis;
  let clients: RedisClient[];
  const trips: Trips = async (number) => {
    for (let trip = 0; trip < number; trip += 1) await server.client.ping();
  };

  beforeAll(async () => {
    server = await testRedis();
    clients = Array.from({ length: PROCESSES }, (_, index) =>
      createRedis({ url: server.url, name: `process-${index}`, logger, commandTimeoutMs: 20_000 }),
    );
    for (const client of clients) expect(await waitForRedis(client, 5_000)).toBe(true);
  });
  afterAll(async () => {
    clients.forEach((client) => client.disconnect());
    await server.close();
  });

  it('readers and writers of one link never overlap, and everyone gets in', async () => {
    let [reads, writes] = [0, 0];
    const scripts = fc.array(fc.array(step, { minLength: 3, maxLength: 8 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(scripts, async (actors) => {
        const room = new Room();
        const locks = clients.map((client, index) => new LinkLocks(client, { owner: `process-${index}` }));
        await Promise.all(actors.map((steps, index) => play(locks[index % PROCESSES]!, steps, room, trips)));
        reads += room.reads;
        writes += room.writes;
        expect(room.violations).toEqual([]);
        expect(await server.client.hlen('{link-locks}:links')).toBe(0);
      }),
      { numRuns: 25, endOnFailure: true },
    );
    expect(Math.min(reads, writes)).toBeGreaterThan(100);
  });

  it('nobody hangs and nothing stays locked when holders die and Redis forgets in the middle', async () => {
    const steps = fc.array(fc.array(step, { minLength: 5, maxLength: 10 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.constantFrom('flushall', 'script', 'die')), async (actors, faults) => {
        const locks = clients.map((client, index) => new LinkLocks(client, { owner: `process-${index}` }));
        const short = { waitMs: 200, leaseMs: 120 };
        const playing = actors.map(async (script, index) => {
          const own = locks[index % PROCESSES]!;
          for (const { mode, links, holdTrips } of script) {
            const asked = mode === 'write' ? own.acquireWrite(links, short) : own.acquireRead(links, short);
            const lease = await asked.catch((error: unknown) => {
              expect(error).toMatchObject({ code: 'lock-timeout' });
            });
            await trips(holdTrips);
            await lease?.release();
          }
        });
        for (const fault of faults) {
          await trips(8);
          if (fault === 'flushall') await server.client.flushall();
          if (fault === 'script') await server.client.script('FLUSH');
          if (fault === 'die') await leaveBehind(server, LINKS);
        }
        await Promise.all(playing);
        const writer = await locks[0]!.acquireWrite(LINKS, { waitMs: 20_000, leaseMs: 20_000 });
        expect(await writer.release()).toBe(true);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});

/** What a killed process leaves: a lease that nobody renews. */
async function leaveBehind(server: TestRedis, links: string[]): Promise<void> {
  const client = createRedis({ url: server.url, name: 'dying', logger, commandTimeoutMs: 20_000 });
  await waitForRedis(client, 5_000);
  await new LinkLocks(client, { owner: 'dying' }).acquireRead(links, { waitMs: 0, leaseMs: 120 });
  client.disconnect();
}

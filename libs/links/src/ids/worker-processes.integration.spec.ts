import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSourceProcess, testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';
import fc from 'fast-check';

import { readSnowflake } from './snowflake.js';

const PLACES = 3;
/** No more ids than processes: a new one has to take that of one that is gone, or seems to be. */
const FREE_IDS = PLACES;
const LEASE_MS = 800;
/** So long a process has to find an id: one whose clock is behind may find none that it may have. */
const PATIENCE_MS = 1_500;
const HOUR_MS = 3_600_000;

/** Makes ids for as long as it lives: a line for each batch (when by the monotonic clock, which lease, ids) or refusal. */
const MAKER = `
  import { writeSync } from 'node:fs';
  import { armFailpoints, createLogger } from '@hopcount/runtime';
  import { Database } from '@hopcount/postgres';
  import { WorkerLease } from './libs/links/src/ids/worker-lease.js';
  import { Snowflakes } from './libs/links/src/ids/snowflake.js';
  armFailpoints(process.env);
  const database = await Database.connect({ url: process.env.DATABASE_URL, applicationName: 'maker' });
  const logger = createLogger({ name: 'maker', level: 'silent' });
  const lease = new WorkerLease(database, { logger, leaseMs: ${LEASE_MS}, renewEveryMs: 100, marginMs: 200, restMs: 0 });
  const ids = new Snowflakes(lease);
  await lease.start().catch(() => undefined);
  setInterval(() => {
    const made = [];
    const at = Number(process.hrtime.bigint()) / 1e6;
    let refused;
    try {
      for (let n = 0; n < 20; n += 1) made.push(String(ids.next()));
    } catch (error) {
      refused = error.code;
      lease.renew().catch(() => undefined);
    }
    // At once: what a killed process has handed out must be known.
    writeSync(1, JSON.stringify({ at, lease: lease.window().fromMs, made, refused }) + '\\n');
  }, 5);
`;

interface Batch {
  at: number;
  lease: number;
  made: string[];
  refused?: string;
}

class Maker {
  readonly batches: Batch[] = [];

  private constructor(
    readonly process: ChildProcess,
    private readonly folder: string,
  ) {
    createInterface({ input: process.stdout! }).on('line', (line) => this.batches.push(JSON.parse(line) as Batch));
  }

  static start(databaseUrl: string, offsetMs: number): Maker {
    const folder = mkdtempSync(join(tmpdir(), 'hopcount-test-maker-'));
    writeFileSync(join(folder, 'clock-offset'), String(offsetMs));
    const environment = { DATABASE_URL: databaseUrl, HOPCOUNT_FAILPOINTS: folder };
    return new Maker(startSourceProcess(MAKER, { environment, stdio: ['ignore', 'pipe', 'inherit'] }), folder);
  }

  setClock(offsetMs: number): void {
    writeFileSync(join(this.folder, 'clock-offset'), String(offsetMs));
  }

  get ids(): string[] {
    return this.batches.flatMap(({ made }) => made);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const offsetMs = fc.integer({ min: -4_000, max: 4_000 });
const doing = <What extends string>(...what: What[]) =>
  fc.record({ place: fc.nat(PLACES - 1), what: fc.constantFrom(...what), offsetMs });
const story = fc.record({
  clocks: fc.tuple(offsetMs, offsetMs, offsetMs),
  // First somebody whose clock is ahead of all takes the id of one that is paused, which then goes on.
  steps: fc.tuple(
    fc.constant({ place: 0, what: 'pause' as const, offsetMs: 0 }),
    fc.constant({ place: 1, what: 'kill' as const, offsetMs: 6_000 }),
    doing('clock'),
    doing('clock', 'pause', 'kill'),
    doing('kill'),
  ),
});

describe('processes that make ids', () => {
  let given: TestDatabase;
  const all: Maker[] = [];

  beforeAll(async () => {
    given = await testDatabase();
    await given.query(
      `INSERT INTO worker_leases SELECT id, 'somebody', 'infinity' FROM generate_series(${FREE_IDS}, 1023) AS id`,
    );
  });
  afterAll(async () => {
    await Promise.all(all.map((maker) => maker.kill()));
    await given.drop();
  });

  function start(clockOffsetMs: number): Maker {
    const maker = Maker.start(given.url, clockOffsetMs);
    all.push(maker);
    return maker;
  }

  /** New ids, or none for so long that it looks as if there were none to be had. */
  async function untilMaking(maker: Maker): Promise<void> {
    await waitUntil(() => maker.batches.length > 0, { describe: 'its first batch', timeoutMs: 40_000 });
    const before = maker.ids.length;
    const patience = performance.now() + PATIENCE_MS;
    await waitUntil(() => maker.ids.length > before || performance.now() > patience, {
      describe: 'ids',
      timeoutMs: 40_000,
    });
  }

  it('never make one twice or share a worker id, when they are killed or paused and clocks are set back and forth', async () => {
    const [told] = fc.sample(story, { numRuns: 1, seed: Date.now() });
    const { clocks, steps } = told!;
    const makers = clocks.map(start);
    await Promise.all(makers.map(untilMaking));
    let paused: Maker | undefined;
    for (const { place, what, offsetMs: by } of steps) {
      const maker = makers[place]!;
      if (what === 'pause') {
        maker.process.kill('SIGSTOP');
        paused = maker;
        await sleep(LEASE_MS + 200); // its lease ends meanwhile
        continue;
      }
      if (what === 'kill') {
        await maker.kill();
        makers[place] = start(by);
      } else maker.setClock(by);
      await untilMaking(makers[place]!);
      // Only now: somebody may have its id.
      paused?.process.kill('SIGCONT');
    }
    const ids = all.flatMap((maker) => maker.ids);
    expect(ids.length).toBeGreaterThan(1_000);
    expect([told, ids.length - new Set(ids).size]).toEqual([told, 0]);
    for (const [workerId, uses] of usesOf(all)) {
      const holders = uses.map(({ holder }) => holder).filter((holder, index, list) => holder !== list[index - 1]);
      expect([told, workerId, holders]).toEqual([told, workerId, [...new Set(holders)]]);
    }
  });

  it('make none while a clock that was set back is before all that was made under the ids they could have', async () => {
    await Promise.all(all.map((maker) => maker.kill()));
    const before = new Set(all.flatMap((maker) => maker.ids));
    await given.query(
      `INSERT INTO worker_leases SELECT id, 'nobody', now() - interval '1 hour', extract(epoch FROM now()) * 1000
       FROM generate_series(0, ${FREE_IDS - 1}) AS id ON CONFLICT DO NOTHING`,
    );
    const maker = start(-HOUR_MS);
    await waitUntil(() => maker.batches.length > 20, { describe: 'refusals', timeoutMs: 40_000 });
    expect(maker.ids).toEqual([]);
    expect(new Set(maker.batches.map(({ refused }) => refused))).toEqual(new Set(['worker-lease-lost']));
    maker.setClock(5_000); // later than any clock was
    await waitUntil(() => maker.ids.length > 20, { describe: 'ids once the clock is right', timeoutMs: 20_000 });
    expect(maker.ids.filter((id) => before.has(id))).toEqual([]);
  });
});

/** By worker id: who made ids under it, in the order of the monotonic clock, which is that of the machine. */
function usesOf(makers: readonly Maker[]): Map<number, { at: number; holder: string }[]> {
  const uses = new Map<number, { at: number; holder: string }[]>();
  for (const { process, batches } of makers) {
    for (const { at, lease, made } of batches.filter((batch) => batch.made.length > 0)) {
      const { workerId } = readSnowflake(BigInt(made[0] as string));
      const holder = `process ${process.pid}, its lease of ${lease}`;
      const list = uses.get(workerId) ?? [];
      list.push({ at, holder });
      uses.set(workerId, list);
    }
  }
  for (const list of uses.values()) list.sort((one, other) => one.at - other.at);
  return uses;
}

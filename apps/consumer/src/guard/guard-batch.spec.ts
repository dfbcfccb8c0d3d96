import type { BatchContext, DeadLetter, RecordBatch } from '@hopcount/kafka';
import { createLogger, Registry } from '@hopcount/runtime';
import type { UnendedAttempt } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { OwnedPartitions } from '../assignment/owned-partitions.js';
import { createConsumerMetrics } from '../consumer.metrics.js';
import { createGuardBatch } from './guard-batch.js';
import { RecordsInHand } from './records-in-hand.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const context = { isCurrent: () => true } as BatchContext;
const RECORDS = 200;

function records(from: number, to: number): RecordBatch['records'] {
  return Array.from({ length: to - from }, (_, index) => ({
    offset: BigInt(from + index),
    key: null,
    value: null,
    headers: {},
    timestampMs: 1,
  }));
}

/**
 * A partition of 200 records and the table of attempts; what lives in a process is made anew by each
 * `life`, which reads batches from the checkpoint until it dies (a record of `poison` is in hand) or is done.
 */
function world(poison: readonly number[], batchSize: number) {
  const counted: number[] = [];
  const letters: DeadLetter[] = [];
  const sizes: number[] = [];
  let checkpoint = 0;
  let written: UnendedAttempt | undefined;
  let failNext = false;

  async function life(): Promise<'died' | 'done'> {
    const owned = new OwnedPartitions();
    const row = { group: 'g', topic: 't', partition: 0, epoch: 1n, nextOffset: BigInt(checkpoint) };
    const unended = written?.attempts === 0 ? undefined : written;
    owned.take(0, { checkpoint: row, trustClaimsFrom: 0n, incarnation: 'i', unended, proven: false });
    let die: (outcome: 'died') => void = () => undefined;
    const death = new Promise<'died'>((resolve) => (die = resolve));
    const guardBatch = createGuardBatch({
      owned,
      attempts: {
        record: (_, attempt) => Promise.resolve(void (written = attempt)),
        clear: () => Promise.resolve(void (written = undefined)),
      },
      count: (batch) => {
        sizes.push(batch.records.length);
        const offsets = batch.records.map(({ offset }) => Number(offset));
        if (offsets.some((offset) => poison.includes(offset))) {
          die('died');
          return new Promise(() => undefined);
        }
        if (failNext) {
          failNext = false;
          return Promise.reject(new Error('PostgreSQL is away'));
        }
        counted.push(...offsets);
        return commit(batch);
      },
      inHand: new RecordsInHand(),
      putAside: (refused, batch) => {
        letters.push(...refused);
        return commit(batch);
      },
      metrics: createConsumerMetrics(new Registry()),
      logger,
    });
    while (checkpoint < RECORDS) {
      const batch = {
        topic: 't',
        partition: 0,
        highWatermark: BigInt(RECORDS),
        records: records(checkpoint, Math.min(checkpoint + batchSize, RECORDS)),
      };
      const outcome = await Promise.race([guardBatch(batch, context), death]);
      if (outcome === 'died') return 'died';
    }
    return 'done';
  }

  function commit(batch: RecordBatch): Promise<bigint> {
    checkpoint = Number(batch.records.at(-1)?.offset ?? -1n) + 1;
    return Promise.resolve(BigInt(checkpoint));
  }

  const failOnce = () => (failNext = true);
  return { life, counted, letters, sizes, failOnce, attempt: () => written };
}

/** Two partitions of one process, each suspected twice at its first record; the first one's kills. */
async function lockstep() {
  const owned = new OwnedPartitions();
  const tries = new Map<number, number>();
  let hasDied: () => void = () => undefined;
  const death = new Promise<void>((resolve) => (hasDied = resolve));
  for (const partition of [0, 1]) {
    const checkpoint = { group: 'g', topic: 't', partition, epoch: 1n, nextOffset: 0n };
    const unended = { offset: 0n, attempts: 2 };
    owned.take(partition, { checkpoint, trustClaimsFrom: 0n, incarnation: 'i', unended, proven: false });
  }
  const guardBatch = createGuardBatch({
    owned,
    attempts: {
      record: ({ partition }, { attempts }) => Promise.resolve(void tries.set(partition, attempts)),
      clear: ({ partition }) => Promise.resolve(void tries.delete(partition)),
    },
    count: () => {
      hasDied();
      return new Promise(() => undefined);
    },
    inHand: new RecordsInHand(),
    putAside: () => Promise.reject(new Error('nothing is known yet')),
    metrics: createConsumerMetrics(new Registry()),
    logger,
  });
  const batch = (partition: number) => ({ topic: 't', partition, highWatermark: 1n, records: records(0, 1) });
  const first = guardBatch(batch(0), context);
  const second = guardBatch(batch(1), context);
  await Promise.race([death, first, second]);
  await new Promise((resolve) => setImmediate(resolve));
  return tries;
}

const all = Array.from({ length: RECORDS }, (_, index) => index);

describe('guardBatch', () => {
  it('takes the first batch and every later one whole, and leaves nothing behind', async () => {
    const { life, counted, sizes, attempt } = world([], 100);
    expect(await life()).toBe('done');
    expect(sizes).toEqual([100, 100]);
    expect(counted).toEqual(all);
    expect(attempt()).toBeUndefined();
  });

  it('F22: a record that killed three processes is put aside by the fourth, its neighbours count', async () => {
    const { life, counted, letters } = world([70], 200);
    expect([await life(), await life(), await life(), await life()]).toEqual(['died', 'died', 'died', 'done']);
    expect(letters.map(({ record, reason, attempts }) => [record.offset, reason, attempts])).toEqual([
      [70n, 'kills-consumer', 3],
    ]);
    expect(counted).toEqual(all.filter((offset) => offset !== 70));
  });

  it('blames for a death only what was alone in hand: another partition waits, and is not counted a third time', async () => {
    expect([...(await lockstep())]).toEqual([[0, 3]]);
  });

  it('keeps the count of deaths when a rebalance ends the wait between two pieces', async () => {
    const owned = new OwnedPartitions();
    const checkpoint = { group: 'g', topic: 't', partition: 0, epoch: 1n, nextOffset: 0n };
    const unended = { offset: 0n, attempts: 2 };
    owned.take(0, { checkpoint, trustClaimsFrom: 0n, incarnation: 'i', unended, proven: false });
    const inHand = new RecordsInHand();
    let written: UnendedAttempt | undefined;
    let isCurrent = true;
    const guardBatch = createGuardBatch({
      owned,
      attempts: {
        record: (_, attempt) => Promise.resolve(void (written = attempt)),
        clear: () => Promise.reject(new Error('not all is handled')),
      },
      count: ({ records: [first] }) => {
        // Another partition is next, and keeps its batch for as long as it likes.
        void inHand.hold(
          'together',
          () => true,
          () => new Promise(() => undefined),
        );
        isCurrent = false;
        return Promise.resolve((first?.offset ?? 0n) + 1n);
      },
      inHand,
      putAside: () => Promise.reject(new Error('nothing is known yet')),
      metrics: createConsumerMetrics(new Registry()),
      logger,
    });
    const batch = { topic: 't', partition: 0, highWatermark: 2n, records: records(0, 2) };
    const guarded = guardBatch(batch, { isCurrent: () => isCurrent } as BatchContext);
    await expect(guarded).rejects.toMatchObject({ code: 'batch-abandoned' });
    expect(written).toEqual({ offset: 1n, attempts: 2 });
  });

  it('takes a try back when the process lives: failures put nothing aside', async () => {
    const { life, failOnce, attempt, letters, counted } = world([], 200);
    for (let outage = 0; outage < 10; outage += 1) {
      failOnce();
      await expect(life()).rejects.toThrow('PostgreSQL is away');
      expect(attempt()?.attempts).toBe(0);
    }
    expect(await life()).toBe('done');
    expect([letters, counted]).toEqual([[], all]);
  });

  it('puts aside what kills and nothing else, wherever it is and however batches are cut', async () => {
    const poison = fc.uniqueArray(fc.integer({ min: 0, max: RECORDS - 1 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(poison, fc.integer({ min: 1, max: 250 }), async (offsets, batchSize) => {
        const { life, counted, letters } = world(offsets, batchSize);
        let deaths = 0;
        while ((await life()) === 'died') deaths += 1;
        expect(letters.map(({ record }) => Number(record.offset))).toEqual([...offsets].sort((a, b) => a - b));
        expect(counted).toEqual(all.filter((offset) => !offsets.includes(offset)));
        // Three with the record in hand, one more when it was met in the middle of a life.
        expect(deaths).toBeLessThanOrEqual(4 * offsets.length);
      }),
    );
  });
});

import { AppError, createLogger, Registry } from '@hopcount/runtime';
import type { CommitResult, EnrichedVisit, VisitBatch } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import { createConsumerMetrics } from '../consumer.metrics.js';
import { createCommitBatch } from './commit-batch.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const checkpoint = { group: 'g', topic: 't', partition: 0, epoch: 1n, nextOffset: 0n };
const visit = (eventId: string) => ({ eventId }) as EnrichedVisit;
const postgresError = (code: string) => Object.assign(new Error(code), { code });
const result: CommitResult = { checkpoint, inserted: [], byClass: [], oldestMs: Infinity, duplicates: 0, purged: 0 };

/** Answers of the committer in turn: an error to throw, or undefined to accept. */
function harness(answers: (Error | undefined)[], unstorable: string[] = []) {
  const committed: string[][] = [];
  const waits: number[] = [];
  const refused: string[][] = [];
  let isCurrent = true;
  const commitBatch = createCommitBatch<readonly EnrichedVisit[], EnrichedVisit, CommitResult>({
    without: (visits, some) => visits.filter((one) => !some.has(one)),
    committer: {
      commit: (batch: VisitBatch) => {
        committed.push(batch.visits.map(({ eventId }) => eventId));
        const answer = answers.shift();
        return answer === undefined ? Promise.resolve(result) : Promise.reject(answer);
      },
      findUnstorable: (visits) => Promise.resolve(visits.filter(({ eventId }) => unstorable.includes(eventId))),
    },
    metrics: createConsumerMetrics(new Registry()),
    logger,
    sleep: (ms) => {
      waits.push(ms);
      if (waits.length > 50) isCurrent = false;
      return Promise.resolve();
    },
  });
  const run = () =>
    commitBatch(
      { checkpoint, nextOffset: 3n, lastRecordAtMs: 1, visits: [visit('a'), visit('b'), visit('c')] },
      {
        isCurrent: () => isCurrent,
        onUnstorable: (bad) => {
          refused.push(bad.map(({ eventId }) => eventId));
          return Promise.resolve();
        },
      },
    );
  return { run, committed, waits, refused };
}

describe('commitBatch', () => {
  it('does a deadlocked transaction again, soon', async () => {
    const { run, committed, waits } = harness([postgresError('40P01'), postgresError('40001'), undefined]);
    await expect(run()).resolves.toBe(result);
    expect(committed).toHaveLength(3);
    expect(Math.max(...waits)).toBeLessThan(100);
  });

  it('takes endless conflicts for an outage and slows down', async () => {
    const { run, waits } = harness([...Array.from({ length: 12 }, () => postgresError('40P01')), undefined]);
    await run();
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(1_000);
  });

  it('waits for PostgreSQL as long as the partition is ours, with waits that grow to 5 s', async () => {
    const { run, waits } = harness([...Array.from({ length: 30 }, () => postgresError('57P03')), undefined]);
    await expect(run()).resolves.toBe(result);
    expect(waits).toHaveLength(30);
    expect(waits.at(-1)).toBe(5_000);
  });

  it('gives up waiting, without a dead letter, once the partition is not ours', async () => {
    const { run, refused } = harness(Array.from({ length: 100 }, () => postgresError('ECONNREFUSED')));
    await expect(run()).rejects.toMatchObject({ code: 'batch-abandoned' });
    expect(refused).toEqual([]);
  });

  it('puts aside what cannot be stored and commits the others', async () => {
    const { run, committed, refused } = harness([postgresError('22P05'), undefined], ['b']);
    await expect(run()).resolves.toBe(result);
    expect(refused).toEqual([['b']]);
    expect(committed).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
  });

  it('does not blame visits for an error of their sums', async () => {
    const { run, refused } = harness([postgresError('22003')]);
    await expect(run()).rejects.toMatchObject({ code: 'unsplittable-batch' });
    expect(refused).toEqual([]);
  });

  it('throws a lost checkpoint and defects as they are', async () => {
    const fenced = new AppError('checkpoint-fenced', 'not ours');
    await expect(harness([fenced]).run()).rejects.toBe(fenced);
    const defect = postgresError('42703');
    await expect(harness([defect]).run()).rejects.toBe(defect);
  });
});

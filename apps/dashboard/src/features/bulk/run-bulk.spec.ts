import { describe, expect, it } from '@jest/globals';

import { type BulkResult, runBulk } from './run-bulk.js';

async function run(count: number, change: (n: number) => Promise<undefined>, signal = new AbortController().signal) {
  const seen: BulkResult<number>[] = [];
  await runBulk(
    Array.from({ length: count }, (_, n) => n),
    change,
    { signal, onProgress: (result) => void seen.push(result) },
  );
  return seen;
}

describe('a change of many', () => {
  it('goes on behind those that fail, says which, and does each once', async () => {
    const asked: number[] = [];
    const seen = await run(10, (n) => {
      asked.push(n);
      return n % 3 === 0 ? Promise.reject(new Error(`no ${n}`)) : Promise.resolve(undefined);
    });
    expect(asked.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const { done, failed } = seen.at(-1)!;
    expect(done.map(({ item }) => item).sort()).toEqual([1, 2, 4, 5, 7, 8]);
    expect(failed.map(({ item, error }) => [item, (error as Error).message]).sort()).toEqual([
      ...[0, 3, 6, 9].map((n) => [n, `no ${n}`]),
    ]);
    expect(seen).toHaveLength(10);
  });

  it('begins no more once it is stopped', async () => {
    const stop = new AbortController();
    const seen = await run(
      50,
      () => {
        stop.abort();
        return Promise.resolve(undefined);
      },
      stop.signal,
    );
    const { done, failed } = seen.at(-1)!;
    expect(done.length).toBeLessThan(50);
    expect(failed).toEqual([]);
  });
});

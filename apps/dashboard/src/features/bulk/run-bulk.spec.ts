import { describe, expect, it } from '@jest/globals';

import { type BulkResult, type Outcome, runBulk, takingBack } from './run-bulk.js';

const CHANGED: Outcome = { isChanged: true };
const first = (count: number) => Array.from({ length: count }, (_, n) => n);
const numbersOf = ({ done }: BulkResult<number>) => done.map(({ item }) => item).sort((a, b) => a - b);

function run(
  items: readonly number[],
  change: (n: number) => Promise<Outcome>,
  { before = [] as BulkResult<number>['done'], signal = new AbortController().signal } = {},
) {
  return runBulk(items, change, { before, signal, onProgress: () => undefined });
}

describe('a change of many', () => {
  it('goes on behind those that fail, says which, and does each once', async () => {
    const asked: number[] = [];
    const seen: BulkResult<number>[] = [];
    const change = (n: number) => {
      asked.push(n);
      return n % 3 === 0 ? Promise.reject(new Error(`no ${n}`)) : Promise.resolve(CHANGED);
    };
    const { signal } = new AbortController();
    const result = await runBulk(first(10), change, { before: [], signal, onProgress: (one) => void seen.push(one) });
    expect(asked.sort((a, b) => a - b)).toEqual(first(10));
    expect(numbersOf(result)).toEqual([1, 2, 4, 5, 7, 8]);
    expect(result.failed.map(({ item, error }) => [item, (error as Error).message]).sort()).toEqual([
      ...[0, 3, 6, 9].map((n) => [n, `no ${n}`]),
    ]);
    expect(seen.map(({ done, failed }) => done.length + failed.length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(seen.at(-1)).toEqual(result);
  });

  it('begins no more once it is stopped', async () => {
    const stop = new AbortController();
    const change = () => {
      stop.abort();
      return Promise.resolve(CHANGED);
    };
    const { done, failed } = await run(first(50), change, { signal: stop.signal });
    expect(done.length).toBeLessThan(50);
    expect(failed).toEqual([]);
  });

  it('is taken back as a whole, also where some of it was done only when it was tried again', async () => {
    const changed = new Set<number>();
    let isOut = true;
    const fail = () => Promise.reject(new Error('out'));
    const change = (n: number) => {
      if (isOut && n >= 7) return fail();
      changed.add(n);
      return Promise.resolve({ isChanged: true, undo: () => back(n) });
    };
    const back = (n: number): Promise<Outcome> => {
      if (isOut && n >= 4) return fail();
      return Promise.resolve({ isChanged: changed.delete(n) });
    };
    const some = await run(first(10), change);
    isOut = false;
    const all = await run(
      some.failed.map(({ item }) => item),
      change,
      { before: some.done },
    );
    expect([numbersOf(all), all.failed]).toEqual([first(10), []]);

    isOut = true;
    const undo = takingBack(all.done);
    const half = await run(undo.items, undo.change);
    expect([half.done.length, half.failed.length, [...changed].sort()]).toEqual([4, 6, [4, 5, 6, 7, 8, 9]]);
    isOut = false;
    const whole = await run(
      half.failed.map(({ item }) => item),
      undo.change,
      { before: half.done },
    );
    expect([numbersOf(whole), whole.failed, changed.size]).toEqual([first(10), [], 0]);
  });

  it('takes back only what it changed', async () => {
    const { done } = await run(first(4), (n) =>
      Promise.resolve(n % 2 === 0 ? { isChanged: false } : { ...CHANGED, undo: () => Promise.resolve(CHANGED) }),
    );
    expect(takingBack(done).items.sort()).toEqual([1, 3]);
  });
});

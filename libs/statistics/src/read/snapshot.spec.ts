import { describe, expect, it } from '@jest/globals';

import type { Database } from '@hopcount/postgres';

import { Snapshots } from './snapshot.js';

describe('questions that wait for their turn', () => {
  /** A database whose transactions end when they are told to. */
  function ask(atMost: { atOnce: number; questions: number; ofOneKey: number }) {
    const ends: (() => void)[] = [];
    const transaction = () => new Promise<void>((resolve) => ends.push(resolve));
    const snapshots = new Snapshots({ transaction } as unknown as Database, atMost);
    const refusals: unknown[] = [];
    const answered: Promise<unknown>[] = [];
    const question = (keyId: number | null) => {
      answered.push(snapshots.run(() => Promise.resolve(), { keyId }).catch((error: unknown) => refusals.push(error)));
    };
    /** All that wait, and those behind them. */
    const endAll = async () => {
      for (let nth = 0; nth < answered.length; nth += 1) {
        ends.splice(0).forEach((end) => end());
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(answered);
    };
    return { question, refusals, endAll };
  }

  it('are so many of a key: the next one is refused, those of others are not, and answered ones make room', async () => {
    const { question, refusals, endAll } = ask({ atOnce: 3, questions: 100, ofOneKey: 5 });
    for (let nth = 0; nth < 6; nth += 1) question(1);
    for (const keyId of [2, null]) question(keyId);
    await new Promise((resolve) => setImmediate(resolve));
    expect(refusals).toEqual([expect.objectContaining({ code: 'too-many-questions', retryable: true })]);
    expect(String(refusals)).toMatch(/of this API key/);
    await endAll();
    for (let nth = 0; nth < 5; nth += 1) question(1);
    await endAll();
    expect(refusals).toHaveLength(1);
  });

  it('are so many of all together', async () => {
    const { question, refusals, endAll } = ask({ atOnce: 3, questions: 5, ofOneKey: 5 });
    for (let nth = 0; nth < 6; nth += 1) question(nth % 2 === 0 ? nth : null);
    await endAll();
    expect(refusals).toEqual([expect.objectContaining({ code: 'too-many-questions' })]);
    expect(String(refusals)).toMatch(/of all clients/);
  });
});

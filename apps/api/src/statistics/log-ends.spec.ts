import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { VisitLogEnds } from './log-ends.js';

type Offsets = { partition: number; low: bigint; high: bigint }[];

const OFFSETS: Offsets = [{ partition: 0, low: 0n, high: 7n }];

let nowMs: number;
let asked: number;
let failures: number;
let answer: () => Promise<Offsets>;
let ends: VisitLogEnds;

beforeEach(() => {
  nowMs = 1_000_000;
  asked = 0;
  failures = 0;
  answer = () => Promise.resolve(OFFSETS);
  const admin = {
    topicOffsets: () => {
      asked++;
      return answer();
    },
  };
  const metrics = { kafkaOffsetFailures: { inc: () => failures++ } };
  ends = new VisitLogEnds(admin, metrics as never, COUNTING, () => nowMs);
});

const COUNTING = { counting: { group: 'counts', topic: 'visits' } };

describe('the ends of the visits topic', () => {
  it('carry the moment before they were asked for', async () => {
    answer = () => {
      nowMs += 300;
      return Promise.resolve(OFFSETS);
    };
    expect(await ends.read()).toEqual({ logEnd: [{ partition: 0, high: 7n }], logEndReadAt: 1_000_000 });
  });

  it('are asked for once a second, and once by all who ask together', async () => {
    await Promise.all([ends.read(), ends.read(), ends.read()]);
    nowMs += 999;
    await ends.read();
    expect(asked).toBe(1);
    nowMs += 1;
    await ends.read();
    expect(asked).toBe(2);
  });

  it('are unknown after a failure, and known again after the next success', async () => {
    answer = () => Promise.reject(new Error('broker away'));
    expect((await ends.read()).logEnd).toBeNull();
    expect(failures).toBe(1);
    answer = () => Promise.resolve(OFFSETS);
    // Not waited for, yet asked for: the one after sees the answer.
    await ends.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await ends.read()).logEnd).not.toBeNull();
  });

  it('are waited for one second, and not at all soon after', async () => {
    jest.useFakeTimers();
    try {
      answer = () => new Promise(() => undefined);
      let isAnswered = false;
      const first = ends.read().finally(() => (isAnswered = true));
      await jest.advanceTimersByTimeAsync(999);
      expect(isAnswered).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect((await first).logEnd).toBeNull();
      // No timer runs any more, so an answer that came did not wait.
      expect((await ends.read()).logEnd).toBeNull();
    } finally {
      jest.useRealTimers();
    }
  });

  it('are not taken from the future when the clock steps back', async () => {
    await ends.read();
    nowMs -= 60_000;
    await ends.read();
    expect(asked).toBe(2);
  });
});

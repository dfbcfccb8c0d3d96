import { LocalBuckets, type Withdrawal } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { PasswordTries } from './password-tries.js';

const logger = createLogger({ name: 'spec', level: 'silent' });

/** Redis' buckets; away when told. */
function shared() {
  const buckets = new LocalBuckets(() => 0);
  const state = { isAway: false };
  const take = (withdrawals: readonly Withdrawal[]) =>
    Promise.resolve(state.isAway ? undefined : buckets.take(withdrawals));
  return { state, take };
}

describe('tries of passwords', () => {
  const triesOver = (take: ReturnType<typeof shared>['take'], onCheck: () => void = () => undefined) => {
    const markOf = (_link: string, _mark: string, password: string) => {
      onCheck();
      return Promise.resolve(password === 'right' ? 'mark' : undefined);
    };
    return new PasswordTries({ passwords: { markOf }, buckets: { take }, logger, secret: 'x'.repeat(32) });
  };
  /** Wrong ones, until it is limited. */
  const guesses = async (tries: PasswordTries) => {
    let count = 0;
    while ((await tries.try('1', 'm', 'wrong', '192.0.2.1')).outcome === 'wrong') count += 1;
    return count;
  };

  it('give back to Redis only what was taken from Redis: it came back in between', async () => {
    const { state, take } = shared();
    expect(await guesses(triesOver(take))).toBe(10);
    // Taken by this process alone, as Redis was away, and right.
    const tries = triesOver(take, () => (state.isAway = false));
    for (let nth = 0; nth < 10; nth += 1) {
      state.isAway = true;
      expect((await tries.try('1', 'm', 'right', '192.0.2.1')).outcome).toBe('right');
    }
    expect(await guesses(triesOver(take))).toBe(0);
  });

  it('with the right password leave as many tries as before, with Redis and without', async () => {
    for (const isAway of [false, true]) {
      const { state, take } = shared();
      state.isAway = isAway;
      const tries = triesOver(take);
      for (let nth = 0; nth < 20; nth += 1) await tries.try('1', 'm', 'right', '192.0.2.1');
      expect(await guesses(tries)).toBe(10);
    }
  });
});

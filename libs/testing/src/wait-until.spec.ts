import { describe, expect, it } from '@jest/globals';

import { waitUntil } from './wait-until.js';

describe('waitUntil', () => {
  it('answers with the first truthy value and forgives errors before it', async () => {
    let looks = 0;
    const value = await waitUntil(
      () => {
        looks += 1;
        if (looks === 1) throw new Error('not up yet');
        return looks === 3 ? 'up' : undefined;
      },
      { describe: 'a third look', everyMs: 1 },
    );
    expect(value).toBe('up');
  });

  it('says what it waited for and what it saw last', async () => {
    const never = waitUntil(() => Promise.reject(new Error('refused')), {
      describe: 'the moon',
      timeoutMs: 20,
      everyMs: 1,
    });
    await expect(never).rejects.toThrow(/the moon: not within 20 ms \(last error refused\)/);
  });
});

import { describe, expect, it } from '@jest/globals';

import { askedAtMost } from './asked-at-most.js';

describe('a number for /metrics', () => {
  it('is unknown while it cannot be read, and the log names the first failure in a row', async () => {
    const outcomes = [new Error('no such column'), new Error('still'), 7, new Error('again')];
    const logged: unknown[] = [];
    const read = askedAtMost({ warn: ({ err }: { err: Error }) => logged.push(err.message) } as never, 0, () => {
      const outcome = outcomes.shift();
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    });
    const seen = [await read(), await read(), await read(), await read()];
    expect(seen).toEqual([undefined, undefined, 7, undefined]);
    expect(logged).toEqual(['no such column', 'again']);
  });
});

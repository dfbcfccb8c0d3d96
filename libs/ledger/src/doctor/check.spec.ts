import { describe, expect, it } from '@jest/globals';

import { judgeGroup, judgeSkew } from './check.js';

describe('doctor', () => {
  it('takes no time that the question itself took for skew', () => {
    expect(judgeSkew(1_500, 1_000, 2_000)).toMatchObject({ status: 'ok', found: expect.stringMatching(/^0 ms/) });
    expect(judgeSkew(5_000, 1_000, 2_000)).toMatchObject({ status: 'warn', found: expect.stringMatching(/^3000 ms/) });
    expect(judgeSkew(-999, 1_000, 2_000).status).toBe('warn');
    expect(judgeSkew(90_000_000, 1_000, 2_000).status).toBe('fail');
  });

  it('calls a group that nobody is in a failure, one that is behind a warning', () => {
    expect(judgeGroup({ state: 'Stable', members: 2 }, 10n).status).toBe('ok');
    expect(judgeGroup({ state: 'Empty', members: 0 }, 0n).status).toBe('fail');
    expect(judgeGroup({ state: 'PreparingRebalance', members: 2 }, 0n).status).toBe('warn');
    expect(judgeGroup({ state: 'Stable', members: 2 }, 1_000_000n).status).toBe('warn');
  });
});

import { Registry } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { LimitUse } from './limit-use.js';

const bucket = (name: string, burst: number) => ({ name, burst, perSecond: 1, key: name, tokens: 1 });
const withLeft = (...left: number[]) => ({
  ...{ isAdmitted: true, retryAfterMs: 0 },
  buckets: left.map((one) => ({ left: one, fullInMs: 0 })),
});

describe('the use of limits', () => {
  it('is that of the client nearest to its limit, by limit, since it was last read', async () => {
    const registry = new Registry();
    const use = new LimitUse(registry);
    const read = async () =>
      Object.fromEntries(
        [...(await registry.metrics()).matchAll(/^hopcount_limit_used_ratio\{limit="([\w-]+)"\} (\S+)$/gm)].map(
          ([, limit = '', used]): [string, number] => [limit, Number(used)],
        ),
      );
    use.note([bucket('requests', 100), bucket('not-found', 10)], withLeft(95, 10));
    use.note([bucket('requests', 100), bucket('requests', 1_600)], withLeft(8, 1_500));
    use.note([bucket('requests', 100)], withLeft(60));
    expect(await read()).toEqual({ requests: 0.92, 'not-found': 0 });
    expect(await read()).toEqual({ requests: 0, 'not-found': 0 });
    use.note([bucket('not-found', 10)], withLeft(0));
    expect(await read()).toEqual({ requests: 0, 'not-found': 1 });
  });
});

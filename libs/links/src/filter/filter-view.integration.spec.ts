import { BloomFilters, createRedis, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { testRedis } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { randomCode } from '../codes/random-code.js';
import { FilterView, momentNow } from './filter-view.js';

it('a view of the filter has PostgreSQL asked when a thousand codes wait for Redis already', async () => {
  const server = await testRedis();
  const redis = createRedis({ url: server.url, name: 'test', logger: createLogger({ name: 'test', level: 'silent' }) });
  await waitForRedis(redis, 5_000);
  const view = new FilterView(redis, () => undefined);
  const filter = await new BloomFilters(redis).make(1_000);
  view.heard(filter ?? null, momentNow());
  expect(await view.lacks(randomCode())).toBe(true);
  server.freeze();
  // The first is on its way.
  const waiting = Array.from({ length: 1_001 }, () => view.lacks(randomCode()));
  const after = [...waiting.map((one) => one.then(() => 'Redis')), view.lacks(randomCode()).then(String)];
  expect(await Promise.race(after)).toBe('false');
  server.thaw();
  await Promise.all(after);
  redis.disconnect();
  await server.close();
});

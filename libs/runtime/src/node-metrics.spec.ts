import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { collectNodeMetrics } from './node-metrics.js';

describe('collectNodeMetrics', () => {
  it('tells how long nothing else could be done, and tells it once', async () => {
    const registry = new Registry();
    collectNodeMetrics(registry);
    const seconds = async () =>
      Number(/^hopcount_event_loop_delay_p99_seconds (\S+)$/m.exec(await registry.metrics())?.[1]);
    const untilMs = performance.now() + 2_000;
    while (performance.now() < untilMs);
    await sleep(0);
    expect(await seconds()).toBeGreaterThan(1);
    expect(await seconds()).toBe(0);
  });

  it('tells the limits of memory and heap beside what is used of them', async () => {
    const registry = new Registry();
    collectNodeMetrics(registry);
    const metrics = await registry.metrics();
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    expect(read('hopcount_memory_limit_bytes')).toBeGreaterThan(read('process_resident_memory_bytes'));
    expect(read('hopcount_memory_limit_bytes')).toBeLessThanOrEqual(totalmem());
    expect(read('hopcount_heap_limit_bytes')).toBeGreaterThan(read('nodejs_heap_size_used_bytes'));
  });
});

import { Registry } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { createKafkaMetrics } from './kafka.metrics.js';

describe('the metrics of a consumer', () => {
  it('have failures at 0 before the first, so that its increase can be seen', async () => {
    const registry = new Registry();
    createKafkaMetrics(registry);
    expect(await registry.metrics()).toContain('hopcount_kafka_batch_failures_total{code="unexpected"} 0');
  });
});

import { describe, expect, it } from '@jest/globals';

import { wrongMetricNames } from './metric-names.js';

describe('the check of metric names', () => {
  it('accepts what Prometheus asks for, and what prom-client measures by itself', () => {
    const page = `# TYPE process_cpu_user_seconds_total counter
# TYPE hopcount_visits_total counter
hopcount_visits_total{class="human",process="worker"} 3
# TYPE hopcount_wait_seconds histogram
hopcount_wait_seconds_bucket{le="1",process="worker"} 3`;
    expect(wrongMetricNames(page)).toEqual([]);
  });

  it.each([
    ['visits_total counter', 'no prefix hopcount_'],
    ['hopcount_visits counter', '_total is for counters'],
    ['hopcount_visits_total gauge', '_total is for counters'],
    ['hopcount_wait_ms gauge', 'no base unit'],
    ['hopcount_wait histogram', 'no unit'],
  ])('refuses %s', (declared, complaint) => {
    expect(wrongMetricNames(`# TYPE ${declared}`).join()).toContain(complaint);
  });

  it('refuses a label that could have any value', () => {
    const page = '# TYPE hopcount_visits_total counter\nhopcount_visits_total{link="abc"} 3';
    expect(wrongMetricNames(page)).toEqual(['hopcount_visits_total: label link']);
  });
});

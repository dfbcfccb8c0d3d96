import { describe, expect, it } from '@jest/globals';

import { type GatewayState, readGateway } from './gateway-state.js';
import { observe, quantile } from './observed.js';

const METRICS = (failed: number, slow: number) => `# HELP hopcount_redirects_total Answers, by "status".
hopcount_build_info{version="1.0",process="gateway"} 1
hopcount_redirects_total{status="302",process="gateway"} 90
hopcount_redirects_total{status="404",process="gateway"} 8
hopcount_redirects_total{status="503",process="gateway"} ${failed}
hopcount_redirect_duration_seconds_bucket{le="0.01",process="gateway"} 90
hopcount_redirect_duration_seconds_bucket{le="0.02",process="gateway"} ${90 + slow}
hopcount_redirect_duration_seconds_bucket{le="+Inf",process="gateway"} ${90 + slow}
hopcount_spool_events{process="gateway"} 3
hopcount_spool_oldest_age_seconds{process="gateway"} 1.5
hopcount_spool_rejected_bytes{process="gateway"} 70
`;

const page =
  (serviceId: string, metrics: string, status = 200) =>
  (url: string) =>
    Promise.resolve(
      url.endsWith('/readyz')
        ? { status, text: JSON.stringify({ status: 'pass', version: '1.0', serviceId }) }
        : { status: 200, text: metrics },
    );

describe('what gateways say of themselves', () => {
  it('is their version, readiness, answers, durations and spool', async () => {
    const state = await readGateway('http://one', page('hopcount-gateway', METRICS(2, 10)));
    expect(state).toEqual({
      ...{ url: 'http://one', version: '1.0', isReady: true, answers: 100, failures: 2 },
      ...{ spooledVisits: 3, spoolAgeSeconds: 1.5, rejectedBytes: 70 },
      durations: [
        [0.01, 90],
        [0.02, 100],
        [Infinity, 100],
      ],
    });
    expect((await readGateway('x', page('hopcount-gateway', '', 503)))?.isReady).toBe(false);
  });

  it('is nothing where no gateway answers', async () => {
    expect(await readGateway('http://api', page('hopcount-api', ''))).toBeUndefined();
    expect(await readGateway('http://away', () => Promise.reject(new Error('refused')))).toBeUndefined();
    expect(await readGateway('http://html', () => Promise.resolve({ status: 200, text: '<p>' }))).toBeUndefined();
  });

  it('adds up over processes, the spool by its oldest visit', async () => {
    const states: GatewayState[] = [];
    for (const [failed, slow] of [
      [1, 0],
      [4, 20],
    ] as const) {
      states.push((await readGateway('http://x', page('hopcount-gateway', METRICS(failed, slow))))!);
    }
    expect(observe([], states)).toMatchObject({
      ...{ gateways: 2, notReady: 0, answers: 201, failures: 5, spooledVisits: 6, spoolAgeSeconds: 1.5 },
      rejectedBytes: 70,
      p99Seconds: 0.019,
    });
    expect(observe([], []).p99Seconds).toBeUndefined();
  });
});

describe('quantile', () => {
  it('is spread evenly within a bucket, and the last bound beyond it', () => {
    expect(quantile(0.5, [[1, 0], [2, 100], [Infinity, 100]])).toBe(1.5); // prettier-ignore
    expect(quantile(0.99, [[1, 10], [Infinity, 100]])).toBe(1); // prettier-ignore
  });
});

import { describe, expect, it } from '@jest/globals';

import { Health } from './health.js';

const health = () => new Health({ name: 'spec', version: '1.0.0' });

describe('health', () => {
  it('is ready while nothing fails; a warning does not take a process out of service', async () => {
    const subject = health();
    subject.addReadiness('redis', () => ({ status: 'warn', detail: 'away' }));
    subject.addReadiness('postgres', () => ({ status: 'pass' }));
    expect(await subject.ready()).toMatchObject({ status: 'warn', checks: { redis: { detail: 'away' } } });
  });

  it('fails with the reason when a check fails or throws', async () => {
    const subject = health();
    subject.addReadiness('postgres', () => Promise.reject(new Error('no route')));
    expect(await subject.ready()).toMatchObject({ status: 'fail', checks: { postgres: { detail: 'no route' } } });
  });

  it('is not ready, but alive, while shutting down', async () => {
    const subject = health();
    subject.drain();
    expect((await subject.ready()).status).toBe('fail');
    expect((await subject.live()).status).toBe('pass');
  });
});

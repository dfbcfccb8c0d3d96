import { describe, expect, it } from '@jest/globals';

import { Health, withoutReasons } from './health.js';
import { createLogger, type Logger } from './logger.js';

const silent = createLogger({ name: 'spec', level: 'silent' });
const health = (logger: Logger = silent) => {
  const subject = new Health({ name: 'spec', version: '1.0.0', logger });
  subject.started();
  return subject;
};

/** A logger that keeps what it is given. */
function recordingLogger() {
  const lines: object[] = [];
  const record = (fields: object) => void lines.push(fields);
  return { lines, logger: { info: record, warn: record } as unknown as Logger };
}

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

  it('is not ready before it has started', async () => {
    const subject = new Health({ name: 'spec', version: '1.0.0', logger: silent });
    expect((await subject.ready()).status).toBe('fail');
    expect((await subject.live()).status).toBe('pass');
    subject.started();
    expect((await subject.ready()).status).toBe('pass');
  });

  it('logs the reason when a check changes, not at every probe', async () => {
    const { lines, logger } = recordingLogger();
    const subject = health(logger);
    let failure: string | undefined;
    subject.addReadiness('postgres', () =>
      failure === undefined ? { status: 'pass' } : { status: 'fail', detail: failure },
    );
    await subject.ready();
    expect(lines).toEqual([]);
    failure = 'connect ECONNREFUSED 10.0.0.7:5432';
    await subject.ready();
    await subject.ready();
    failure = undefined;
    await subject.ready();
    expect(lines).toMatchObject([
      { check: 'postgres', status: 'fail', detail: 'connect ECONNREFUSED 10.0.0.7:5432' },
      { check: 'postgres', before: 'fail', status: 'pass' },
    ]);
  });

  it('tells the public the status of each check and no reason', async () => {
    const subject = health();
    subject.addReadiness('postgres', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')));
    expect(withoutReasons(await subject.ready())).toEqual({
      status: 'fail',
      version: '1.0.0',
      serviceId: 'spec',
      checks: { postgres: { status: 'fail' } },
    });
  });
});

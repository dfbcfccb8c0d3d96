import { describe, expect, it } from '@jest/globals';

import { type Checks, findingsOf } from './findings.js';
import type { System } from './system.js';

const WELL = {
  counting: { pending: 3, consumers: { members: 1 } },
  uncounted: { visits: 0 },
  lost: { records: 0 },
  deadLetters: { waiting: 0 },
  audits: { missingVisits: 0, unreportedMinutes: 0 },
  drift: { slots: null, hosts: 0, hostChecksums: 0 },
  archive: { damaged: { files: 0 } },
  surges: { open: 0 },
  processes: [{ name: 'hopcount-worker', silentSeconds: 1 }],
  gateways: [{ spooledVisits: 0 }],
  verification: null,
  unknown: [] as string[],
};
const OK = [{ status: 'ok' }] as const;
const of = (changed: object, checks: Checks = OK) =>
  findingsOf({ ...WELL, ...changed } as System, checks).map(({ name }) => name);

describe('what an operator has to look at', () => {
  it('is nothing while all is well', () => {
    expect(of({})).toEqual([]);
  });

  it('says that what Kafka knows is unknown, not that it is nothing', () => {
    expect(of({ counting: null, deadLetters: null, unknown: ['counting', 'deadLetters'] })).toEqual(['kafkaAway']);
    expect(of({ processes: null, unknown: ['processes'] })).toEqual(['unreadable']);
    expect(of({ deadLetters: null, unknown: ['deadLetters'] })).toEqual(['unreadable']);
  });

  it('has the worst first', () => {
    expect(of({ deadLetters: { waiting: 2 }, lost: { records: 1 }, surges: { open: 1 } })).toEqual([
      ...(['lost', 'deadLetters', 'surges'] as const),
    ]);
  });

  it('misses processes that do not speak', () => {
    expect(of({ processes: [], counting: { pending: 10_000, consumers: { members: 0 } } })).toEqual([
      ...(['noConsumer', 'noWorker', 'behind'] as const),
    ]);
  });

  it('adds up what waits on the disks of gateways', () => {
    const gateways = [{ spooledVisits: 2 }, { spooledVisits: 5 }];
    expect(findingsOf({ ...WELL, gateways } as unknown as System, OK)).toEqual([
      { name: 'spooled', level: 'watch', count: 7 },
    ]);
  });

  it('is never nothing while a check fails, or nobody knows what checks say', () => {
    expect(of({}, [{ status: 'warn' }, { status: 'ok' }])).toEqual(['warnedChecks']);
    expect(of({ deadLetters: { waiting: 2 } }, [{ status: 'fail' }])).toEqual(['failedChecks', 'deadLetters']);
    expect(findingsOf(WELL as unknown as System, undefined)).toMatchObject([{ name: 'unchecked' }]);
  });

  it('tells a verification that found differences from one that failed', () => {
    expect(of({ verification: { state: 'mismatch', differences: 4 } })).toEqual(['mismatch']);
    expect(of({ verification: { state: 'failed', differences: null } })).toEqual(['verificationFailed']);
  });
});

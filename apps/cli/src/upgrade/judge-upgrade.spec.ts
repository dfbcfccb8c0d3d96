import { describe, expect, it } from '@jest/globals';

import { judgeBackup, judgeVerification } from './check-safety.js';
import { judgeConsumers, judgeGateways, judgeWritten, versionsOf } from './check-versions.js';

const NEXT = { written: 2, read: [1, 2] };
const SAFE = { is_archiving: true, archived_ago: 30, is_failing: false, verified_ago: 3_600, last_outcome: 'done' };

describe('consumers and gateways of two versions', () => {
  it('wants consumers first when they cannot read what this version writes', () => {
    const old = { version: '0.1.0', reads: [1] };
    expect(judgeConsumers([old, { version: '0.2.0', reads: [1, 2] }], NEXT)).toMatchObject({
      status: 'warn',
      found: '2 consumers of version 0.1.0, 0.2.0, 1 cannot read visits of version 2',
      advice: expect.stringContaining('all consumers before the first gateway'),
    });
    // One that says nothing is of before it could: it reads version 1.
    expect(judgeConsumers([undefined], NEXT).status).toBe('warn');
    expect(judgeConsumers([undefined, old], { written: 1, read: [1] }).status).toBe('ok');
    expect(judgeConsumers([{ version: '0.2.0', reads: [1, 2] }], NEXT).status).toBe('ok');
  });

  it('refuses a version whose consumers cannot read what is in the topic', () => {
    const values = [Buffer.from('{"version":2,"eventId":"x"}'), Buffer.from('{"version": 1}'), Buffer.from('{'), null];
    expect(versionsOf(values)).toEqual([2, 1]);
    expect(judgeWritten([2, 1], { written: 1, read: [1] })).toMatchObject({ status: 'fail', found: 'version 1, 2' });
    expect(judgeWritten([2, 1], NEXT).status).toBe('ok');
  });

  it('names the versions of gateways that report', () => {
    expect(judgeGateways(['gw-1-x', 'gw-2-y@0.1.0+abc', 'gw-3-z@0.1.0+abc'])).toMatchObject({
      found: '3 gateways of version 0.1.0+abc, one that does not say',
    });
  });
});

describe('what could be had back', () => {
  it('refuses while archiving fails or numbers are known to differ, and warns of what is not known', () => {
    expect([judgeBackup(SAFE), judgeVerification(SAFE)].map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(judgeBackup({ ...SAFE, is_failing: true }).status).toBe('fail');
    expect(judgeBackup({ ...SAFE, is_archiving: false }).advice).toContain('docs/operations/backup.md');
    expect(judgeBackup({ ...SAFE, archived_ago: 7_200 })).toMatchObject({
      status: 'warn',
      found: 'WAL archived 2 h ago',
    });
    expect(judgeVerification({ ...SAFE, last_outcome: 'mismatch' }).status).toBe('fail');
    expect(judgeVerification({ ...SAFE, verified_ago: 200_000 }).status).toBe('warn');
    expect(judgeVerification({ ...SAFE, verified_ago: null, last_outcome: null }).status).toBe('warn');
  });
});

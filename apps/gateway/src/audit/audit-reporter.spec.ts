import type { SourceAuditV1 } from '@hopcount/contracts';
import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { AuditReporter, type AuditReporterParts } from './audit-reporter.js';
import type { SourceAudit } from './source-audit.js';

const report = { source: 'gateway-1' } as SourceAuditV1;

describe('the audit of a gateway', () => {
  it('is reported after a look that met a defect, and in the last word of the process', async () => {
    const lines: string[] = [];
    const logger = createLogger({ name: 'spec', level: 'warn' }, () => ({ write: (line) => void lines.push(line) }));
    let isBroken = true;
    let reported = 0;
    const due = () => {
      if (isBroken) throw new TypeError('a defect');
      return [report];
    };
    const audit = { due, last: due, reported: () => void (reported += 1) } as unknown as SourceAudit;
    const parts = {
      kafka: { publish: () => Promise.resolve() },
      ...{ spool: { hasWork: false }, state: { isUp: true }, publisher: {}, logger, topic: 'audits' },
    } as unknown as AuditReporterParts;
    const reporter = new AuditReporter(audit, parts);
    await reporter.report();
    expect([reported, lines.length]).toEqual([0, 1]);
    isBroken = false;
    await reporter.report();
    expect(reported).toBe(1);
    await reporter.stop();
    expect(reported).toBe(2);
  });
});

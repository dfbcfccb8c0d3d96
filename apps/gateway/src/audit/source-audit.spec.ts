import { eventIdChecksum, checksumText, type SourceAuditV1 } from '@hopcount/contracts';
import { newEventId } from '@hopcount/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';

import { SourceAudit } from './source-audit.js';

const MINUTE = 60_000;
const START = 29_395_330 * MINUTE;
const visits = (count: number, timeMs: number) => Array.from({ length: count }, () => ({ key: newEventId(timeMs) }));

function checksumOf(records: { key: string }[]): string {
  const sum = { hi: 0, lo: 0 };
  for (const { key } of records) {
    const { hi, lo } = eventIdChecksum(key);
    sum.hi ^= hi;
    sum.lo ^= lo;
  }
  return checksumText(sum.hi, sum.lo);
}

describe('SourceAudit', () => {
  let audit: SourceAudit;

  beforeEach(() => {
    audit = new SourceAudit('gw-1', 'answer');
  });

  it('sums visits by the minute inside their ids, to the millisecond', () => {
    const first = [...visits(2, START), ...visits(1, START + MINUTE - 1)];
    const second = visits(4, START + MINUTE);
    audit.durable([...second, ...first]);
    const report = { version: 1, source: 'gw-1', sequence: 1, answered: 0, refused: 0, inDoubt: 0, final: false };
    expect(audit.due(START + 2 * MINUTE)).toEqual([
      { ...report, minute: START, visits: 3, checksum: checksumOf(first) },
      { ...report, minute: START + MINUTE, visits: 4, checksum: checksumOf(second) },
    ]);
  });

  it('reports a minute only when it is over', () => {
    audit.durable(visits(1, START));
    expect(audit.due(START + MINUTE - 1)).toEqual([]);
    expect(audit.due(START + MINUTE)).toHaveLength(1);
  });

  it('stays due until it is told that the report is durable', () => {
    audit.durable(visits(1, START));
    const due = audit.due(START + MINUTE);
    expect(audit.due(START + MINUTE)).toEqual(due);
    audit.reported(due);
    expect(audit.due(START + MINUTE)).toEqual([]);
  });

  it('replaces a report by a cumulative one with a higher sequence when a visit comes late', () => {
    const early = visits(2, START);
    const late = visits(1, START + 5);
    audit.durable(early);
    audit.reported(audit.due(START + MINUTE));
    audit.durable(late);
    const [report] = audit.due(START + MINUTE);
    expect(report).toMatchObject({ sequence: 2, visits: 3, checksum: checksumOf([...early, ...late]) });
  });

  it('keeps due what comes between the report and its durability', () => {
    audit.durable(visits(2, START));
    const due = audit.due(START + MINUTE);
    audit.durable(visits(1, START));
    audit.reported(due);
    expect(audit.due(START + MINUTE)).toMatchObject([{ sequence: 2, visits: 3 }]);
  });

  it.each([
    ['answer', { answered: 3, refused: 0 }],
    ['refuse', { answered: 0, refused: 3 }],
  ] as const)('with %s tells apart who lost a visit', (onFailure, expected) => {
    audit = new SourceAudit('gw-1', onFailure);
    audit.lost(visits(2, START), { inDoubt: true });
    audit.lost(visits(1, START), { inDoubt: false });
    expect(audit.due(START + MINUTE)).toMatchObject([{ visits: 0, checksum: '0', inDoubt: 2, ...expected }]);
  });

  it('ends with everything left, the last report final', () => {
    audit.durable([...visits(1, START), ...visits(1, START + MINUTE)]);
    const finals = (reports: SourceAuditV1[]) => reports.map(({ minute, final }) => [minute - START, final]);
    expect(finals(audit.last(START + MINUTE + 5))).toEqual([
      [0, false],
      [MINUTE, true],
    ]);
    audit.reported(audit.due(START + 2 * MINUTE));
    expect(finals(audit.last(START + 9 * MINUTE + 5))).toEqual([[9 * MINUTE, true]]);
    expect(new SourceAudit('gw-2', 'refuse').last(START)).toEqual([]);
  });

  it('forgets reported minutes after an hour', () => {
    for (const hours of [0, 1, 2]) {
      audit.durable(visits(1, START + hours * 60 * MINUTE));
      audit.reported(audit.due(START + hours * 60 * MINUTE + MINUTE));
    }
    audit.durable(visits(1, START));
    expect(audit.due(START + MINUTE)).toMatchObject([{ visits: 1 }]);
  });
});

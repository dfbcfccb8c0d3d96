import {
  checksumText,
  eventIdChecksum,
  eventIdTimeMs,
  type SourceAuditV1,
  type VisitEventV1,
} from '@hopcount/contracts';
import { PartitionCheckpoints, RefusedVisits, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import {
  buildVisitEvent,
  newEventId,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RunningWorker } from '../worker.js';
import { startTestWorker } from '../worker.spec-helpers.js';

const MINUTE_MS = 60_000;
const START = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 5 * MINUTE_MS;

function reportOf(visits: readonly VisitEventV1[], more: Partial<SourceAuditV1> = {}): SourceAuditV1 {
  const sum = { hi: 0, lo: 0 };
  for (const { eventId } of visits) {
    const { hi, lo } = eventIdChecksum(eventId);
    sum.hi ^= hi;
    sum.lo ^= lo;
  }
  const checksum = checksumText(sum.hi, sum.lo);
  const counts = { visits: visits.length, checksum, answered: 0, refused: 0, inDoubt: 0 };
  return { version: 1, source: 'gateway-test', minute: START, sequence: 1, ...counts, final: false, ...more };
}

describe('audit reports at the worker', () => {
  let topic: TestTopic;
  let audits: TestTopic;
  let database: TestDatabase;
  let worker: RunningWorker | undefined;

  beforeEach(async () => {
    [topic, audits, database] = await Promise.all([
      testTopic({ label: 'visits' }),
      testTopic({ label: 'audits' }),
      testDatabase(),
    ]);
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await Promise.all([topic.delete(), audits.delete(), database.drop()]);
  });

  const start = async () => {
    const environment = { RECONCILE_INTERVAL_MS: '200' };
    worker = await startTestWorker({ topic: topic.name, auditTopic: audits.name, database, environment });
  };
  const say = (...reports: SourceAuditV1[]) =>
    audits.produce(reports.map((report) => ({ key: report.source, value: JSON.stringify(report) })));
  const statuses = async () =>
    (
      await database.query<{ status: string | null; missing: string }>(
        'SELECT status, missing FROM source_audits ORDER BY minute',
      )
    ).map(({ status, missing }) => `${status} ${missing}`);
  const untilSettled = (expected: string[]) =>
    waitUntil(async () => (await statuses()).join() === expected.join(), {
      timeoutMs: 30_000,
      everyMs: 100,
      describe: expected.join(),
    });
  const metrics = async () => (await fetch(`${worker?.opsUrl}/metrics`)).text();
  const visitsIn = (minute: number, count: number, more: Partial<VisitEventV1> = {}) =>
    Array.from({ length: count }, () => {
      const eventId = newEventId(minute + 1_000);
      return buildVisitEvent({ eventId, occurredAt: eventIdTimeMs(eventId), ...more });
    });

  /** Publishes visits and counts them as a consumer does; those at `refused` become dead letters. */
  async function publish(visits: readonly VisitEventV1[], refused: readonly VisitEventV1[] = []): Promise<void> {
    await topic.produce([...visits, ...refused].map(visitRecord));
    const connection = await Database.connect({ url: database.url, applicationName: 'audits-spec' });
    const ref = { group: `group-${topic.name}`, topic: topic.name, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(connection).takeOwnership(ref, 'spec');
    const nextOffset = checkpoint.nextOffset + BigInt(visits.length + refused.length);
    const enriched = visits.map(({ eventId }) => enrichedVisit({ eventId, source: 'gateway-test' }));
    const value = Buffer.from('{"source":"gateway-test"}');
    await new RefusedVisits(connection).note(
      refused.map(({ eventId }) => ({ key: Buffer.from(eventId), value, reason: 'unstorable' })),
    );
    const batch = { checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits: enriched };
    await new VisitCommitter(connection, { slots: 8 }).commit(batch);
    await connection.close();
  }

  it('are held against the counts: equal, refused to a dead letter, or missing', async () => {
    const good = visitsIn(START, 30);
    const refused = visitsIn(START, 2);
    const lost = visitsIn(START + MINUTE_MS, 3);
    await publish(good, refused);
    await audits.produce([{ value: 'no report' }]);
    await say(reportOf([...good, ...refused]), reportOf(lost, { minute: START + MINUTE_MS }));
    await start();
    await untilSettled(['equal 0', 'missing 3']);
    await waitUntil(async () => /^hopcount_audit_visits\{state="missing",.*\} 3$/m.test(await metrics()), {
      describe: 'the metric',
    });
    expect(await metrics()).toMatch(/^hopcount_audit_records_total\{outcome="unreadable".*\} 1$/m);
    await publish(lost); // found again, in a backup of the spool for example
    await untilSettled(['equal 0', 'equal 0']);
  });

  it('are read again from where the database stands, when it was restored under us', async () => {
    await say(reportOf([], { answered: 2 }));
    await start();
    await untilSettled(['equal 0']);
    await database.query('TRUNCATE source_audits');
    await database.query(`UPDATE consumer_checkpoints SET next_offset = 0 WHERE topic = $1`, [audits.name]);
    await say(reportOf([], { minute: START + MINUTE_MS }));
    await untilSettled(['equal 0', 'equal 0']);
  });
});

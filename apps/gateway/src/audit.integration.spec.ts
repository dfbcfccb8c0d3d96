import { checksumText, eventIdChecksum, type SourceAuditV1, type VisitEventV1 } from '@hopcount/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, type TestTopic, waitUntil } from '@hopcount/testing';

import {
  auditsIn,
  GatewayGround,
  insertLink,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

const HEADERS = { host: TEST_DOMAIN };
const MINUTE_MS = 60_000;

/** The newest report of each process and minute, as a line; the same of the visits in the topic. */
function newest(reports: SourceAuditV1[]): string[] {
  const lines = new Map<string, SourceAuditV1>();
  for (const report of reports) {
    const key = `${report.source} ${report.minute}`;
    if ((lines.get(key)?.sequence ?? 0) < report.sequence) lines.set(key, report);
  }
  return [...lines]
    .filter(([, { visits }]) => visits > 0)
    .map(([key, r]) => `${key} ${r.visits} ${r.checksum}`)
    .sort();
}

function summed(visits: VisitEventV1[]): string[] {
  const sums = new Map<string, { visits: number; hi: number; lo: number }>();
  for (const { eventId, occurredAt, source } of new Map(visits.map((visit) => [visit.eventId, visit])).values()) {
    const key = `${source} ${occurredAt - (occurredAt % MINUTE_MS)}`;
    const { hi, lo } = eventIdChecksum(eventId);
    const sum = sums.get(key) ?? { visits: 0, hi: 0, lo: 0 };
    sums.set(key, { visits: sum.visits + 1, hi: sum.hi ^ hi, lo: sum.lo ^ lo });
  }
  return [...sums].map(([key, { visits, hi, lo }]) => `${key} ${visits} ${checksumText(hi, lo)}`).sort();
}

describe('audit reports of a gateway', () => {
  let shared: GatewayGround;
  let ground: GatewayGround;
  let topic: TestTopic;
  let audits: TestTopic;

  beforeAll(async () => {
    shared = await GatewayGround.open();
    await insertLink(shared.database, { code: 'x' });
  });
  beforeEach(async () => {
    ground = await GatewayGround.open({}, shared);
    ({ visits: topic, audits } = ground.topics);
  });
  afterEach(() => ground.close());
  afterAll(() => shared?.close());

  const open = (more: Record<string, string> = {}) => ground.start(more);
  const visit = (gateway: TestGateway, count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await gateway.ask('/x', { headers: HEADERS })).status));
  it('say what is in Kafka, id for id, by the time the process has ended', async () => {
    const gateway = await open();
    await visit(gateway, 40);
    await gateway.close();
    await open(); // a slow broker: the last words of the first are on the disk
    await waitUntil(async () => (await auditsIn(audits)).some(({ final }) => final), { describe: 'the last report' });
    const [reports, visits] = [await auditsIn(audits), await visitsIn(topic)];
    expect(visits.length).toBeGreaterThanOrEqual(40);
    expect(newest(reports)).toEqual(summed(visits));
    expect(reports.map(({ final }) => final)).toEqual([...reports.slice(1).map(() => false), true]);
  });

  it('wait on the disk behind their visits while Kafka is away, also across processes', async () => {
    const gateway = await open({ KAFKA_BROKERS: `127.0.0.1:${await freePort()}` });
    await visit(gateway, 30);
    await gateway.close();
    expect(await auditsIn(audits)).toEqual([]);
    await open();
    await waitUntil(async () => (await auditsIn(audits)).length > 0, { describe: 'the report of the first process' });
    const visits = await visitsIn(topic);
    expect(visits).toHaveLength(30);
    expect(newest(await auditsIn(audits))).toEqual(summed(visits));
  });

  it('tell of redirects whose visit nothing could hold', async () => {
    const full = { KAFKA_BROKERS: `127.0.0.1:${await freePort()}`, SPOOL_MAX_BYTES: '600' };
    const lenient = await open({ ...full, VISIT_DURABILITY_FAILURE: 'answer' });
    expect(await visit(lenient, 5)).toEqual([302, 302, 302, 302, 302]);
    await lenient.close();
    const strict = await open(full);
    expect(await visit(strict, 3)).toEqual([503, 503, 503]);
    await strict.close();
    await open();
    await waitUntil(async () => (await auditsIn(audits)).length >= 2, { describe: 'both reports' });
    const sum = (of: (report: SourceAuditV1) => number) => async () =>
      (await auditsIn(audits)).reduce((total, report) => total + of(report), 0);
    expect(await sum(({ answered }) => answered)()).toBe(5);
    expect(await sum(({ refused }) => refused)()).toBe(3);
    expect(await visitsIn(topic)).toEqual([]);
  });

  it('never stand in the way of visits, not even when their topic is missing', async () => {
    const lost = { AUDIT_TOPIC: `${audits.name}-is-not-there` };
    const gateway = await open({ ...lost, KAFKA_BROKERS: `127.0.0.1:${await freePort()}` });
    await visit(gateway, 10);
    await gateway.close();
    const next = await open(lost);
    await waitUntil(async () => (await visitsIn(topic)).length === 10, { describe: 'the spooled visits' });
    expect(await visit(next, 10)).toContain(302);
    await waitUntil(async () => new Set((await visitsIn(topic)).map(({ eventId }) => eventId)).size === 20, {
      describe: 'the new visits',
    });
    const body = await next.operations('/metrics');
    expect(body).toMatch(/^hopcount_kafka_up\{.*\} 1$/m);
    expect(body).toMatch(/^hopcount_spool_events\{.*\} 1$/m); // the report, kept for better times
  });
});

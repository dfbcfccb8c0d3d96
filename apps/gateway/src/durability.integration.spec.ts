import { existsSync, renameSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { assertSameIds, freePort, type TestTopic, waitUntil } from '@hopcount/testing';

import { ask, GatewayGround, insertLink, TEST_DOMAIN, visitsIn } from './gateway.spec-helpers.js';

const HEADERS = { host: TEST_DOMAIN };

/** A way to the real broker that can be opened later: what a stopped and restarted broker looks like. */
function forwarder(brokers: string[]) {
  const [host = '', port = ''] = (brokers[0] ?? '').split(':');
  let server: Server | undefined;
  return {
    open: (listenPort: number) =>
      new Promise<void>((resolve) => {
        server = createServer((socket) => {
          const upstream = connect(Number(port), host);
          socket.pipe(upstream).pipe(socket);
          socket.on('error', () => upstream.destroy());
          upstream.on('error', () => socket.destroy());
        }).listen(listenPort, '127.0.0.1', resolve);
      }),
    close: () => server?.close(),
  };
}

describe('visits while Kafka is away', () => {
  let shared: GatewayGround;
  let ground: GatewayGround;
  let topic: TestTopic;
  let deadPort: number;

  beforeAll(async () => {
    shared = await GatewayGround.open();
    await insertLink(shared.database, { code: 'x' });
  });
  beforeEach(async () => {
    deadPort = await freePort();
    ground = await GatewayGround.open({ KAFKA_BROKERS: `127.0.0.1:${deadPort}` }, shared);
    topic = ground.topics.visits;
  });
  afterEach(() => ground.close());
  afterAll(() => shared?.close());

  const visit = async (port: number, count: number): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(port, '/x', { headers: HEADERS })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 302));
    return answers.map(({ headers }) => String(headers['x-visit-id']));
  };
  const allArrive = async (ids: string[]) => {
    const read = async () => (await visitsIn(topic)).map(({ eventId }) => eventId);
    await waitUntil(async () => new Set(await read()).size >= ids.length, {
      timeoutMs: 20_000,
      describe: 'the visits in the topic',
    });
    assertSameIds([...new Set(await read())], ids);
  };

  it('L4: spools them, and drains when Kafka comes', async () => {
    const gateway = await ground.start();
    const ids = await visit(gateway.port, 50);
    expect(await gateway.operations('/readyz')).toContain('50 visits on disk');
    expect(await gateway.operations('/metrics')).toMatch(/^hopcount_visits_accepted_total\{path="spool".*\} 50$/m);
    const way = forwarder(topic.brokers);
    ground.closeFirst(way.close);
    await way.open(deadPort);
    await allArrive(ids);
    await waitUntil(async () => /^hopcount_spool_events\{.*\} 0$/m.test(await gateway.operations('/metrics')), {
      describe: 'an empty spool',
    });
    ids.push(...(await visit(gateway.port, 5)));
    await allArrive(ids);
    expect(await gateway.operations('/metrics')).toMatch(/^hopcount_visits_accepted_total\{path="kafka".*\} 5$/m);
  });

  it('leaves the folder of a living process alone, and drains it once that process has ended', async () => {
    const first = await ground.start();
    const spooled = await visit(first.port, 3);
    const withKafka = async () => {
      const gateway = await ground.start({ KAFKA_BROKERS: topic.brokers.join(',') });
      return visit(gateway.port, 1);
    };
    // Whatever the second had taken over would stand in the topic before its own visit.
    const second = await withKafka();
    await allArrive(second);
    await first.close();
    const third = await withKafka();
    await allArrive([...spooled, ...second, ...third]);
  });

  it('answers 503 when the disk may not take more either, and 302 without an id when told to', async () => {
    const full = await ground.start({ SPOOL_MAX_BYTES: '10' });
    const refused = await full.ask('/x', { headers: HEADERS });
    expect([refused.status, refused.headers['retry-after'], refused.headers.location]).toEqual([503, '2', undefined]);
    const lenient = await ground.start({ SPOOL_MAX_BYTES: '10', VISIT_DURABILITY_FAILURE: 'answer' });
    const answered = await lenient.ask('/x', { headers: HEADERS });
    expect([answered.status, answered.headers['x-visit-id']]).toEqual([302, undefined]);
    expect(await lenient.operations('/metrics')).toMatch(/^hopcount_visits_uncounted_total\{reason="answered".*\} 1$/m);
  });

  it('keeps visits aside that Kafka rejects for good, says so, and sends them once they are moved back', async () => {
    await topic.configure({ 'max.message.bytes': '1500' });
    const withKafka = { KAFKA_BROKERS: topic.brokers.join(',') };
    const gateway = await ground.start(withKafka);
    const folder = join(ground.environment['SPOOL_DIR']!, 'rejected');
    const large: string[] = [];
    const isRejected = async () => {
      const headers = { ...HEADERS, referer: `https://example.com/${'r'.repeat(1_000)}` };
      large.push(String((await gateway.ask('/x', { headers })).headers['x-visit-id']));
      return existsSync(folder);
    };
    await waitUntil(isRejected, { describe: 'the limit is in force' });
    const small = await visit(gateway.port, 20);
    const metrics = () => gateway.operations('/metrics');
    await waitUntil(async () => /^hopcount_spool_events\{.*\} 0$/m.test(await metrics()), {
      describe: 'an empty spool',
    });
    const counted = new Set((await visitsIn(topic)).map(({ eventId }) => eventId));
    expect(small.filter((id) => !counted.has(id))).toEqual([]);
    expect(large.every((id) => counted.has(id))).toBe(false);
    expect(await metrics()).toMatch(/^hopcount_spool_rejected_records_total\{.*\} [1-9]/m);
    expect(await gateway.ask('/readyz')).toMatchObject({ status: 200, body: expect.stringContaining('"warn"') });

    await topic.configure({ 'max.message.bytes': '1000000' });
    const [one] = await topic.readAll();
    const isTaken = () => topic.produce([{ ...one!, headers: { filler: 'f'.repeat(2_000) } }]).then(() => true);
    await waitUntil(isTaken, { describe: 'the limit is gone' });
    renameSync(folder, join(ground.environment['SPOOL_DIR']!, 'again'));
    await ground.start(withKafka);
    await allArrive([...large, ...small]);
  });
});

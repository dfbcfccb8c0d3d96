import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  visitRecord,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn, SpecConsumer } from '../cli.spec-helpers.js';

const REFUSAL = /belongs to the Kafka cluster elsewhere, but the brokers are cluster \S+: nothing was done/;

describe('the Kafka cluster of a database', () => {
  let visits: TestTopic;
  let letters: TestTopic;
  let server: TestDatabase;
  let consumer: SpecConsumer;
  let hopcount: ReturnType<typeof cliOn>;

  beforeEach(async () => {
    [visits, letters, server] = await Promise.all([
      testTopic({ partitions: 2, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
      testDatabase(),
    ]);
    const group = `group-${visits.name}`;
    consumer = await SpecConsumer.on(server, visits, group);
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name, CONSUMER_GROUP: group });
    await visits.produce(Array.from({ length: 30 }, () => visitRecord(buildVisitEvent())));
    await server.query(`INSERT INTO ledger_cluster (cluster_id) VALUES ('elsewhere')`);
  });
  afterEach(async () => {
    await consumer.close();
    await Promise.all([visits.delete(), letters.delete(), server.drop()]);
  });

  const bound = async () => (await server.query<{ cluster_id: string }>('SELECT cluster_id FROM ledger_cluster'))[0];
  const counted = async () => (await server.query('SELECT FROM visits')).length;
  const pending = async () =>
    (JSON.parse((await hopcount(['lag', '-o', 'json'])).stdout) as { pending: number }).pending;

  it.each([
    ['lag'],
    ['topics'],
    ['topics', 'create'],
    ['replay', '--whole-log'],
    ['replay', '--whole-log', '--target', 'live', '--execute'],
    ['dead-letters', 'list'],
    ['dead-letters', 'stats'],
    ['dead-letters', 'redrive', '--execute'],
    ['verify', '--wait'],
  ])('is the only one where a command works: %s %s', async (...argv) => {
    const ends = await visits.offsets();
    const { code, stdout, stderr } = await hopcount(argv);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(REFUSAL)]);
    expect([await visits.offsets(), await server.query('SELECT FROM operator_actions')]).toEqual([ends, []]);
  });

  it('is named by doctor and upgrade check where the brokers are another one', async () => {
    const doctor = await hopcount(['doctor', '-o', 'json']);
    const lines = JSON.parse(doctor.stdout) as { check: string; status: string; found: string }[];
    expect([doctor.code, lines.find(({ check }) => check === 'kafka')]).toEqual([
      1,
      expect.objectContaining({ status: 'fail', found: expect.stringMatching(REFUSAL) }),
    ]);
    expect(await hopcount(['upgrade', 'check'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('elsewhere'),
    });
  });

  it('is bound anew on purpose: the plan first; then all is read from the start of the log, and counted once', async () => {
    await consumer.readOn();
    await server.query('UPDATE consumer_checkpoints SET next_offset = 1000');
    const plan = await hopcount(['cluster', 'bind']);
    expect([plan.code, plan.stderr]).toEqual([
      0,
      expect.stringMatching(/elsewhere.* read 30 records.*Nothing was changed/),
    ]);
    expect(await bound()).toEqual({ cluster_id: 'elsewhere' });

    expect(await hopcount(['cluster', 'bind', '--execute'])).toMatchObject({ code: 0 });
    const { cluster_id: id } = (await bound())!;
    expect(await server.query('SELECT command, outcome, cluster_id, arguments FROM operator_actions')).toEqual([
      { command: 'cluster bind', outcome: 'done', cluster_id: id, arguments: { from: 'elsewhere', to: id } },
    ]);
    expect(await pending()).toBe(30);
    await consumer.readOn();
    expect([await pending(), await counted()]).toEqual([0, 30]);
    expect(await hopcount(['cluster', 'bind', '--execute'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no change needed'),
    });
  });

  it('that no consumer bound is read from the start once it is bound by hand: its offsets may be of any cluster', async () => {
    await consumer.readOn();
    await server.query('DELETE FROM ledger_cluster');
    await server.query('UPDATE consumer_checkpoints SET next_offset = 1000');
    expect((await hopcount(['cluster', 'bind', '--execute'])).code).toBe(0);
    expect([await pending(), typeof (await bound())?.cluster_id]).toEqual([30, 'string']);
    await consumer.readOn();
    expect([await pending(), await counted()]).toEqual([0, 30]);
  });
});

describe('a command without addresses', () => {
  const nothing = { DATABASE_URL: '', KAFKA_BROKERS: '', REDIS_URL: '', HOPCOUNT_DATA_DIR: join(tmpdir(), 'no-stack') };
  const hopcount = cliOn({ url: '' } as TestDatabase, nothing);

  it('refuses to guess: it names what to set or start', async () => {
    expect(await hopcount(['lag'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /No stack runs in \S+no-stack, and KAFKA_BROKERS is not set: start one with `npm start`, or/,
      ),
    });
    const { code, stdout } = await hopcount(['doctor']);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/DATABASE_URL[^]*KAFKA_BROKERS[^]*REDIS_URL/)]);
  });
});

import { assertSameIds, buildVisitEvent, visitRecord, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ConsumerBench, consumerBench, ledgerIds, readiness } from './consumer.spec-helpers.js';

const ELSEWHERE = `INSERT INTO ledger_cluster (cluster_id) VALUES ('elsewhere')
  ON CONFLICT (singleton) DO UPDATE SET cluster_id = excluded.cluster_id`;

describe('a consumer and the Kafka cluster of its ledger', () => {
  let bench: ConsumerBench;
  beforeEach(async () => {
    bench = await consumerBench({ partitions: 2 });
  });
  afterEach(() => bench.close());

  const visit = async (count: number) => {
    const visits = Array.from({ length: count }, () => buildVisitEvent());
    await bench.topic.produce(visits.map(visitRecord));
    return visits.map(({ eventId }) => eventId);
  };
  const checkpoints = () => bench.database.query('SELECT next_offset FROM consumer_checkpoints');

  it('does not start on another one: the sentence names both, nothing is counted, no partition taken over', async () => {
    await bench.database.query(ELSEWHERE);
    await visit(20);
    await expect(bench.start()).rejects.toThrow(
      /belongs to the Kafka cluster elsewhere, but the brokers are cluster \S+: /,
    );
    expect([await bench.sums(), await checkpoints()]).toEqual([[0, 0, 0], []]);
  });

  it('binds a ledger that has counted before, and counts on', async () => {
    const before = await visit(20);
    const old = await bench.start();
    await bench.untilRead();
    await old.stop();
    await bench.database.query('DELETE FROM ledger_cluster');
    const after = await visit(20);
    await bench.start();
    assertSameIds([...before, ...after], await ledgerIds(bench.database, 40));
    expect(await bench.database.query('SELECT cluster_id FROM ledger_cluster')).toHaveLength(1);
  });

  it('leaves the group when its ledger is bound to another one, and counts on when that was a mistake', async () => {
    const before = await visit(20);
    const consumer = await bench.start();
    await bench.untilRead();
    const [bound] = await bench.database.query<{ cluster_id: string }>('SELECT cluster_id FROM ledger_cluster');
    await bench.database.query(ELSEWHERE);
    await bench.database.query('UPDATE consumer_checkpoints SET owner_epoch = owner_epoch + 1');
    const after = await visit(20);
    const hasLeft = async () => (await readiness(consumer, 'kafka')).status === 'fail';
    await waitUntil(hasLeft, { timeoutMs: 30_000, describe: 'the consumer has left' });
    expect((await ledgerIds(bench.database, 20)).length).toBe(20);

    await bench.database.query('UPDATE ledger_cluster SET cluster_id = $1', [bound!.cluster_id]);
    assertSameIds([...before, ...after], await ledgerIds(bench.database, 40));
    await bench.untilRead();
    expect(await bench.sums()).toEqual([40, 40, 40]);
  });
});

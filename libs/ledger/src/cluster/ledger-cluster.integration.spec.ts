import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BatchAttempts } from '../commit/batch-attempts.js';
import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { bindAnew, LedgerCluster } from './ledger-cluster.js';

const REF = { group: 'g', topic: 'visits', partition: 0 };
const OTHER = { code: 'other-cluster' };

describe('the Kafka cluster of a ledger', () => {
  let server: TestDatabase;
  let database: Database;
  let cluster: LedgerCluster;
  beforeEach(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    cluster = new LedgerCluster(database);
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  it('is the one of the first consumer; every other is refused by name, with what to do', async () => {
    await cluster.expect('b');
    await cluster.bind('a');
    await cluster.bind('a');
    await cluster.expect('a');
    await expect(cluster.bind('b')).rejects.toMatchObject(OTHER);
    await expect(cluster.expect('b')).rejects.toThrow(
      /belongs to the Kafka cluster a, .* cluster b: .*KAFKA_BROKERS.*cluster bind/,
    );
    expect(await cluster.bound()).toBe('a');
  });

  it('is the one whose transaction came first, of two consumers that start at once', async () => {
    let second: Promise<void> = Promise.resolve();
    await database.transaction(async (tx) => {
      await tx.query(`INSERT INTO ledger_cluster (cluster_id) VALUES ('a')`);
      second = cluster.bind('b');
      second.catch(() => undefined); // is expected below
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitUntil(async () => (await server.query(waits)).length > 0, { describe: 'the second one waits' });
    });
    await expect(second).rejects.toMatchObject(OTHER);
    expect(await cluster.bound()).toBe('a');
  });

  it('bound anew: every partition is read from the start of its log there, and who counted by the old offsets is fenced', async () => {
    await cluster.bind('a');
    const checkpoints = new PartitionCheckpoints(database);
    const incarnation = await checkpoints.incarnation();
    const attempts = new BatchAttempts(database, 'dead');
    const owned = await checkpoints.takeOwnership(REF, 'spec');
    const unread = await checkpoints.takeOwnership({ ...REF, partition: 1 }, 'spec');
    const committer = new VisitCommitter(database, { slots: 'off' });
    const batch = { nextOffset: 500n, lastRecordAtMs: Date.now(), visits: [enrichedVisit({ atMs: Date.now() })] };
    const { checkpoint } = await committer.commit({ checkpoint: owned, ...batch });
    await attempts.record(checkpoint, { offset: 500n, attempts: 3 });

    await bindAnew(database, { from: 'a', to: 'b', starts: [{ ...REF, low: 40n }] });

    // The second one's offset is the same in both clusters.
    for (const fenced of [checkpoint, unread]) {
      await expect(committer.commit({ ...batch, checkpoint: fenced, nextOffset: 600n })).rejects.toMatchObject({
        code: 'checkpoint-fenced',
      });
    }
    expect(await new BatchAttempts(database, 'next').list(REF.group, REF.topic)).toEqual(new Map());
    const next = await Promise.all([0, 1].map((partition) => checkpoints.takeOwnership({ ...REF, partition }, 'next')));
    expect(next.map(({ nextOffset }) => nextOffset)).toEqual([40n, 0n]);
    expect(await committer.commit({ ...batch, checkpoint: next[0]!, nextOffset: 41n })).toMatchObject({ inserted: [] });
    expect(await checkpoints.incarnation()).not.toBe(incarnation);
    await expect(cluster.expect('a')).rejects.toMatchObject(OTHER);
  });

  it('stays what another operator made it meanwhile', async () => {
    await cluster.bind('a');
    await bindAnew(database, { from: 'a', to: 'b', starts: [] });
    await expect(bindAnew(database, { from: 'a', to: 'c', starts: [] })).rejects.toMatchObject(OTHER);
    expect(await cluster.bound()).toBe('b');
  });
});

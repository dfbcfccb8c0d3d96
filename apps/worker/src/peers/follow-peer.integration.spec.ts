import type { IncomingRecord } from '@hopcount/kafka';
import { HostReplicas, KnownPeers } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { createLogger, Registry } from '@hopcount/runtime';
import { testDatabase } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { FollowPeer } from './follow-peer.js';

it('what a peer says that cannot be read is counted once, however often its topic is read', async () => {
  const server = await testDatabase();
  const database = await Database.connect({ url: server.url, applicationName: 'spec' });
  const replicas = new HostReplicas(database);
  await replicas.add(['b']);
  const admin = { topicOffsets: () => Promise.resolve([{ partition: 0, low: 3n, high: 5n }]) };
  const logger = createLogger({ name: 'spec', level: 'silent' });
  const read = async (...offsets: bigint[]) => {
    const known = new KnownPeers(database);
    const metrics = createWorkerMetrics(new Registry());
    const peer = new FollowPeer({ dc: 'b', topic: 'hosts.state', admin, replicas, known, metrics, logger });
    await peer.assign([0], { isCurrent: () => true });
    const records = offsets.map((offset) => ({ offset, value: Buffer.from('?') }) as IncomingRecord);
    await peer.onBatch({ partition: 0, records } as never);
    return server.query('SELECT refused::int FROM host_peers');
  };
  expect(await read(3n)).toEqual([{ refused: 1 }]);
  // Another process goes on, and one reads all again.
  expect(await read(4n)).toEqual([{ refused: 2 }]);
  await server.query('UPDATE host_peers SET next_offset = 0');
  expect(await read(3n, 4n)).toEqual([{ refused: 2 }]);
  await database.close();
  await server.drop();
});

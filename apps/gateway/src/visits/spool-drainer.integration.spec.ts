import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@hopcount/runtime';
import { newEventId, waitUntil } from '@hopcount/testing';

import { KafkaState } from './kafka-state.js';
import { SpoolDrainer } from './spool-drainer.js';
import type { VisitRecord } from './visit-record.js';
import { VisitSpool } from './visit-spool.js';

describe('SpoolDrainer', () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  let root: string;
  let spool: VisitSpool;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hopcount-test-spool-'));
    spool = await VisitSpool.open({ root, owner: 'one', maxBytes: 100_000_000, logger, onDamage: () => undefined });
  });
  afterEach(async () => {
    await spool.close();
    rmSync(root, { recursive: true, force: true });
  });

  const record = (sizeBytes = 20): VisitRecord => ({ key: newEventId(), value: 'v'.repeat(sizeBytes), headers: {} });

  it('does not take Kafka for down because a segment cannot be read, and drains it once it can', async () => {
    const published: string[] = [];
    const kafka = {
      connect: () => Promise.resolve(),
      publish: (_topic: string, records: VisitRecord[]) => {
        published.push(...records.map(({ key }) => key));
        return Promise.resolve();
      },
    };
    const large = Array.from({ length: 3 }, () => record(900_000));
    await spool.append(large); // one segment, full and so sealed
    const small = record();
    const path = join(
      root,
      'one',
      readdirSync(join(root, 'one')).find((name) => name.endsWith('.spool'))!,
    );
    renameSync(path, join(root, 'aside'));
    mkdirSync(path);
    const state = new KafkaState(logger);
    const drainer = new SpoolDrainer(kafka, spool, state, logger, 'visits');
    await drainer.start();
    expect([state.isUp, spool.hasWork, published]).toEqual([true, true, []]);
    await spool.append([small]);
    await waitUntil(() => published.includes(small.key), { describe: 'the visit behind the segment' });
    expect([state.isUp, spool.pendingEvents]).toEqual([true, 3]);
    rmdirSync(path);
    renameSync(join(root, 'aside'), path);
    await waitUntil(() => !spool.hasWork, { describe: 'the segment drained' });
    expect(published.sort()).toEqual([small, ...large].map(({ key }) => key).sort());
    await drainer.stop({ finishWithinMs: 0 });
  });
});

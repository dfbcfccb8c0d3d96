import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, createLogger } from '@hopcount/runtime';
import { newEventId, waitUntil } from '@hopcount/testing';

import { KafkaState } from './kafka-state.js';
import { RejectedFolder } from './spool/rejected-folder.js';
import { scanSegment } from './spool/spool-record.js';
import { SpoolDrainer } from './spool-drainer.js';
import type { VisitRecord } from './visit-record.js';
import { VisitSpool } from './visit-spool.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const record = (sizeBytes = 20): VisitRecord => ({ key: newEventId(), value: 'v'.repeat(sizeBytes), headers: {} });
const unpublishable = (): VisitRecord => ({ ...record(), headers: { unpublishable: 'yes' } });
const keysOf = (records: VisitRecord[]) => records.map(({ key }) => key);

/** Takes a batch as a whole or not at all, as a broker does. */
class FakeKafka {
  readonly published: string[] = [];
  rejects = true;
  connect = () => Promise.resolve();
  publish = (_topic: string, records: VisitRecord[]) => {
    if (this.rejects && records.some(({ headers }) => headers['unpublishable'] !== undefined)) {
      return Promise.reject(new AppError('broker-rejected', 'too large'));
    }
    this.published.push(...keysOf(records));
    return Promise.resolve();
  };
}

describe('SpoolDrainer', () => {
  let root: string;
  let kafka: FakeKafka;
  let spool: VisitSpool;
  let state: KafkaState;
  let damages: number;
  const closing: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hopcount-test-spool-'));
    kafka = new FakeKafka();
    damages = 0;
    spool = await openSpool('one');
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    rmSync(root, { recursive: true, force: true });
  });

  const openSpool = async (owner: string) => {
    const onDamage = () => (damages += 1);
    const opened = await VisitSpool.open({ root, owner, maxBytes: 100_000_000, logger, onDamage });
    closing.push(() => opened.close());
    return opened;
  };
  const startDrainer = async (of: VisitSpool, options: { owner: string; maxBytes?: number }) => {
    const rejected = new RejectedFolder({ root, maxBytes: 1_000_000, ...options });
    state = new KafkaState(logger);
    const drainer = new SpoolDrainer({ kafka, spool: of, rejected, state, logger, topic: 'visits' });
    closing.push(async () => {
      await drainer.stop({ finishWithinMs: 0 });
      await rejected.close();
    });
    await drainer.start();
    return rejected;
  };
  const untilDrained = (of: VisitSpool) => waitUntil(() => !of.hasWork, { describe: 'the spool is drained' });
  /** What is drained has left the queue a moment before its file is put away. */
  const untilFile = (path: string, exists: boolean) =>
    waitUntil(() => existsSync(path) === exists, { describe: `${path} ${exists ? 'is there' : 'is gone'}` });
  const filesOf = (folder: string) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => join(root, folder, name)) : [];
  const keptAside = () => filesOf('rejected').flatMap((path) => keysOf(scanSegment(readFileSync(path)).records));

  it('does not take Kafka for down because a segment cannot be read, and drains it once it can', async () => {
    const large = Array.from({ length: 3 }, () => record(900_000));
    await spool.append(large); // one segment, full and so sealed
    const small = record();
    const path = filesOf('one').find((name) => name.endsWith('.spool'))!;
    renameSync(path, join(root, 'aside'));
    mkdirSync(path);
    await startDrainer(spool, { owner: 'one' });
    expect([state.isUp, spool.hasWork, kafka.published]).toEqual([true, true, []]);
    await spool.append([small]);
    await waitUntil(() => kafka.published.includes(small.key), { describe: 'the visit behind the segment' });
    expect([state.isUp, spool.pendingEvents]).toEqual([true, 3]);
    rmdirSync(path);
    renameSync(join(root, 'aside'), path);
    await untilDrained(spool);
    expect(kafka.published.sort()).toEqual(keysOf([small, ...large]).sort());
  });

  describe('when Kafka rejects some records for good', () => {
    const mixed = () => {
      const bad = Array.from({ length: 5 }, unpublishable);
      const all = Array.from({ length: 1_000 }, () => record());
      // At both ends, alone, and two in a row.
      for (const [i, at] of [0, 300, 301, 700, 1_004].entries()) all.splice(at, 0, bad[i]!);
      const good = all.filter((one) => !bad.includes(one));
      return { all, good, bad };
    };

    it('keeps exactly those aside and sends all the others, once, in order', async () => {
      const { all, good, bad } = mixed();
      await spool.append(all);
      const rejected = await startDrainer(spool, { owner: 'one' });
      await untilDrained(spool);
      expect(kafka.published).toEqual(keysOf(good));
      expect(keptAside()).toEqual(keysOf(bad));
      expect([rejected.keptRecords, state.isUp, spool.pendingEvents]).toEqual([5, true, 0]);
      expect(await rejected.sizeBytes()).toBeGreaterThan(0);
    });

    it('sends what was kept aside once an operator has moved it back', async () => {
      const { all, good, bad } = mixed();
      await spool.append(all);
      await startDrainer(spool, { owner: 'one' });
      await untilDrained(spool);
      kafka.rejects = false;
      mkdirSync(join(root, 'again'));
      for (const path of filesOf('rejected')) renameSync(path, path.replace('/rejected/', '/again/'));
      await spool.adopt();
      await untilDrained(spool);
      expect(kafka.published).toEqual(keysOf([...good, ...bad]));
      expect([keptAside(), existsSync(join(root, 'again'))]).toEqual([[], false]);
    });

    it('keeps on where it did after the file it wrote to was moved away', async () => {
      const [first, second] = [unpublishable(), unpublishable()];
      await spool.append([first]);
      await startDrainer(spool, { owner: 'one' });
      await untilDrained(spool);
      renameSync(join(root, 'rejected'), join(root, 'looked-at'));
      await spool.append([second]);
      await untilDrained(spool);
      expect(keptAside()).toEqual([second.key]);
    });

    it('sends a record again when the process dies between keeping it aside and noting that', async () => {
      const { all, good, bad } = mixed();
      await spool.append(all);
      const batch = await spool.nextBatch({ records: 1, bytes: 1 });
      const dying = new RejectedFolder({ root, owner: 'one', maxBytes: 1_000_000 });
      closing.push(() => dying.close());
      await dying.keep(batch!.records[0]!);
      expect(keptAside()).toEqual([bad[0]!.key]);
      rmSync(join(root, 'one', 'owner.lock'));
      const next = await openSpool('next');
      await startDrainer(next, { owner: 'next' });
      await untilDrained(next);
      expect(kafka.published).toEqual(keysOf(good));
      expect(keptAside().sort()).toEqual([bad[0]!.key, ...keysOf(bad)].sort());
    });

    it('leaves them in the spool while the folder is full, sends all the others once, and tries again', async () => {
      const { all, good, bad } = mixed();
      mkdirSync(join(root, 'rejected'));
      writeFileSync(join(root, 'rejected', 'fills'), Buffer.alloc(10_000));
      await spool.append(all);
      await startDrainer(spool, { owner: 'one', maxBytes: 10_000 });
      await untilDrained(spool);
      expect(kafka.published).toEqual(keysOf(good));
      const more = record();
      await spool.append([more]);
      await untilDrained(spool);
      expect([state.isUp, spool.pendingEvents]).toEqual([true, bad.length]);
      for (let again = 0; again < 3; again += 1) {
        await spool.adopt(); // half a minute later
        await untilDrained(spool);
      }
      expect(kafka.published).toEqual(keysOf([...good, more]));
      rmSync(join(root, 'rejected', 'fills'));
      await spool.adopt();
      await untilDrained(spool);
      await untilFile(`${join(root, 'one')}/one-0000000001.spool`, false);
      expect([keptAside(), spool.pendingEvents, filesOf('one')]).toEqual([
        keysOf(bad),
        0,
        [join(root, 'one', 'owner.lock')],
      ]);
      expect(kafka.published).toEqual(keysOf([...good, more]));
    });

    it('reports and keeps a segment that was damaged while some of it waited', async () => {
      const { all, bad } = mixed();
      mkdirSync(join(root, 'rejected'));
      writeFileSync(join(root, 'rejected', 'fills'), Buffer.alloc(10_000));
      await spool.append(all);
      await startDrainer(spool, { owner: 'one', maxBytes: 10_000 });
      await untilDrained(spool);
      const path = filesOf('one').find((name) => name.endsWith('.spool'))!;
      truncateSync(path, statSync(path).size - 5); // its last record waits
      rmSync(join(root, 'rejected', 'fills'));
      await spool.adopt();
      await untilDrained(spool);
      expect([damages, keptAside()]).toEqual([1, keysOf(bad.slice(0, -1))]);
      await untilFile(`${path}.damaged`, true);
    });
  });
});

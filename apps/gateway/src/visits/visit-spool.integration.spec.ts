import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@hopcount/runtime';
import { newEventId } from '@hopcount/testing';

import { ownIdentity } from './spool/process-identity.js';
import type { VisitRecord } from './visit-record.js';
import { VisitSpool } from './visit-spool.js';

const LIMITS = { records: 100, bytes: 1_000_000 };

describe('VisitSpool', () => {
  let root: string;
  let damage: { path: string; from: number; to: number; tail: boolean }[];
  const open: VisitSpool[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hopcount-test-spool-'));
    damage = [];
  });
  afterEach(async () => {
    for (const spool of open.splice(0)) await spool.close().catch(() => undefined);
    rmSync(root, { recursive: true, force: true });
  });

  const openSpool = async (owner: string, maxBytes = 100_000_000) => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const spool = await VisitSpool.open({ root, owner, maxBytes, logger, onDamage: (found) => damage.push(found) });
    open.push(spool);
    return spool;
  };
  const records = (count: number, size = 20): VisitRecord[] =>
    Array.from({ length: count }, () => ({ key: newEventId(), value: 'v'.repeat(size), headers: { a: 'b' } }));
  const drain = async (spool: VisitSpool) => {
    const drained: VisitRecord[] = [];
    for (let batch = await spool.nextBatch(LIMITS); batch !== undefined; batch = await spool.nextBatch(LIMITS)) {
      drained.push(...batch.records);
      await batch.confirm();
    }
    return drained;
  };
  const segments = () =>
    readdirSync(root).flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((file) => file.endsWith('.spool'))
        .map((file) => join(root, folder, file)),
    );
  /** What a killed process leaves: its folder and a lock that names nobody alive. */
  const orphan = (owner: string, lock: object = { ...ownIdentity(), pid: 1, startTicks: '1' }) => {
    writeFileSync(join(root, owner, 'owner.lock'), JSON.stringify(lock));
  };

  it('gives everything back in order, over many segments, and leaves nothing on disk', async () => {
    const spool = await openSpool('one');
    const all = records(6_000, 1_000);
    await Promise.all(Array.from({ length: 60 }, (_, i) => spool.append(all.slice(i * 100, i * 100 + 100))));
    expect(spool.pendingEvents).toBe(6_000);
    expect(segments().length).toBeGreaterThan(1);
    expect(await drain(spool)).toEqual(all);
    expect([segments(), spool.pendingEvents, spool.sizeBytes, spool.hasWork]).toEqual([[], 0, 0, false]);
  });

  it('takes appends while it is drained', async () => {
    const spool = await openSpool('one');
    const all = records(300);
    const drained: VisitRecord[] = [];
    for (let i = 0; i < 300; i += 10) {
      await spool.append(all.slice(i, i + 10));
      if (i % 40 === 0) drained.push(...(await drain(spool)));
    }
    expect([...drained, ...(await drain(spool))]).toEqual(all);
  });

  it('repeats a batch until it is confirmed', async () => {
    const spool = await openSpool('one');
    const all = records(3);
    await spool.append(all);
    expect((await spool.nextBatch(LIMITS))?.records).toEqual(all);
    const again = await spool.nextBatch({ records: 2, bytes: 1_000_000 });
    expect(again?.records).toEqual(all.slice(0, 2));
    await again?.confirm();
    expect((await spool.nextBatch({ records: 9, bytes: 1 }))?.records).toEqual(all.slice(2));
  });

  it('refuses beyond its limit and takes visits again once drained', async () => {
    const spool = await openSpool('one', 5_000);
    await spool.append(records(1, 3_000));
    await expect(spool.append(records(1, 3_000))).rejects.toMatchObject({ code: 'spool-full' });
    await drain(spool);
    await spool.append(records(1, 3_000));
  });

  it('says so when the disk does not take it, and recovers with the disk', async () => {
    const spool = await openSpool('one');
    rmSync(join(root, 'one'), { recursive: true });
    writeFileSync(join(root, 'one'), 'not a folder');
    await expect(spool.append(records(1))).rejects.toMatchObject({ code: 'spool-write-failed' });
    rmSync(join(root, 'one'));
    mkdirSync(join(root, 'one'));
    const all = records(1);
    await spool.append(all);
    expect(await drain(spool)).toEqual(all);
  });

  it('adopts what a dead process left, torn tail reported, nothing else lost', async () => {
    const dead = await openSpool('dead');
    const all = records(50);
    await dead.append(all.slice(0, 49));
    const whole = readFileSync(segments()[0]!).length;
    await dead.append(all.slice(49));
    truncateSync(segments()[0]!, whole + 7);
    orphan('dead');
    const next = await openSpool('next');
    expect(next.oldestMs).toBeDefined();
    expect(await drain(next)).toEqual(all.slice(0, 49));
    expect(damage).toEqual([
      { path: join(root, 'next', 'dead-0000000001.spool'), from: whole, to: whole + 7, tail: true },
    ]);
    expect(readdirSync(root)).toEqual(['next']);
  });

  it('keeps a segment with damage in its middle for a human, after sending the rest', async () => {
    const dead = await openSpool('dead');
    const all = records(3);
    await dead.append(all);
    const bytes = readFileSync(segments()[0]!);
    bytes[60]! ^= 0xff;
    writeFileSync(segments()[0]!, bytes);
    orphan('dead');
    const next = await openSpool('next');
    expect(await drain(next)).toEqual(all.slice(1));
    expect(damage).toMatchObject([{ from: 8, tail: false }]);
    expect(readdirSync(join(root, 'next'))).toContain('dead-0000000001.spool.damaged');
  });

  it('gives each abandoned segment to one of several processes that start together', async () => {
    const dead = await openSpool('dead');
    const all = records(3_000, 5_000);
    for (let i = 0; i < 30; i += 1) await dead.append(all.slice(i * 100, i * 100 + 100));
    orphan('dead');
    const spools = await Promise.all(['a', 'b', 'c'].map((owner) => openSpool(owner)));
    const drained = (await Promise.all(spools.map(drain))).flat();
    expect(drained.map(({ key }) => key).sort()).toEqual(all.map(({ key }) => key).sort());
  });

  it('leaves living owners alone, and owners of other machines until they have been silent for long', async () => {
    const living = await openSpool('living');
    await living.append(records(1));
    const foreign = await openSpool('foreign');
    await foreign.append(records(1));
    orphan('foreign', { pid: 1, startTicks: '1', realm: 'another container' });
    const next = await openSpool('next');
    expect(next.hasWork).toBe(false);
    const longAgo = new Date(Date.now() - 120_000);
    utimesSync(join(root, 'foreign', 'owner.lock'), longAgo, longAgo);
    await next.adopt();
    expect(next.pendingEvents).toBe(1);
  });

  it('is not disturbed by strange files in its root', async () => {
    writeFileSync(join(root, 'file'), 'x');
    mkdirSync(join(root, '.new-half-made'));
    mkdirSync(join(root, 'garbled'));
    writeFileSync(join(root, 'garbled', 'owner.lock'), '{');
    appendFileSync(join(root, 'garbled', 'x.spool'), 'noise');
    const spool = await openSpool('one');
    expect(spool.hasWork).toBe(false);
    const all = records(1);
    await spool.append(all);
    expect(await drain(spool)).toEqual(all);
  });
});

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AppError, createLogger } from '@hopcount/runtime';
import { newEventId, waitUntil } from '@hopcount/testing';

import { lifeOf, ownIdentity } from './spool/process-identity.js';
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

  /** What a pause, or a clock that is wrong, makes of the lock of a living process of another container. */
  const looksDead = (owner: string) => {
    orphan(owner, { pid: 1, startTicks: '1', realm: 'another container' });
    const longAgo = new Date(Date.now() - 120_000);
    utimesSync(join(root, owner, 'owner.lock'), longAgo, longAgo);
  };
  const keysOf = (all: VisitRecord[]) => [...new Set(all.map(({ key }) => key))].sort();

  it('gives everything back in order, over many segments, and leaves nothing on disk', async () => {
    const spool = await openSpool('one');
    const all = records(6_000, 1_000);
    await Promise.all(Array.from({ length: 60 }, (_, i) => spool.append(all.slice(i * 100, i * 100 + 100))));
    expect(spool.pendingEvents).toBe(6_000);
    expect(segments().length).toBeGreaterThan(1);
    expect(await drain(spool)).toEqual(all);
    expect([segments(), spool.pendingEvents, spool.sizeBytes.own, spool.hasWork]).toEqual([[], 0, 0, false]);
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
    const append = () => spool.append(records(1, 3_000));
    await append();
    await expect(append()).rejects.toMatchObject({ code: 'spool-full' });
    await drain(spool);
    await append();
  });

  it('takes as many visits as ever after it adopted the full spool of a dead process', async () => {
    const dead = await openSpool('dead', 5_000);
    await dead.append(records(1, 4_500));
    orphan('dead');
    const next = await openSpool('next', 5_000);
    expect([next.pendingEvents, next.sizeBytes.own, next.isFull]).toEqual([1, 0, false]);
    expect(next.sizeBytes.adopted).toBeGreaterThan(4_500);
    await next.append(records(1, 4_500));
    await expect(next.append(records(1, 500))).rejects.toMatchObject({ code: 'spool-full' });
    expect([(await drain(next)).length, next.sizeBytes]).toEqual([2, { own: 0, adopted: 0 }]);
  });

  it('says so when the disk does not take it, and recovers with the disk', async () => {
    const spool = await openSpool('one');
    rmSync(join(root, 'one'), { recursive: true });
    writeFileSync(join(root, 'one'), 'not a folder');
    await expect(spool.append(records(1))).rejects.toMatchObject({ code: 'spool-write-failed' });
    rmSync(join(root, 'one'));
    mkdirSync(join(root, 'one'));
    await spool.append(records(1));
    expect(await drain(spool)).toHaveLength(1);
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
      { path: join(root, 'next', 'next-0000000001.spool'), from: whole, to: whole + 7, tail: true },
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
    expect(readdirSync(join(root, 'next'))).toContain('next-0000000001.spool.damaged');
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
    looksDead('foreign');
    await next.adopt();
    expect(next.pendingEvents).toBe(1);
  });

  it('takes nobody for dead whom it cannot ask about', () => {
    expect(lifeOf({ ...ownIdentity(), startTicks: '1' })).toBe('dead');
    expect(lifeOf({ ...ownIdentity(), pid: 2 ** 30 })).toBe('dead');
    // A path through a file: ENOTDIR, as EMFILE or EACCES no word about the process.
    expect(lifeOf({ ...ownIdentity(), pid: 'self/status' as unknown as number })).toBe('alive');
  });

  it('loses nothing when its folder is adopted while it lives: what was answered is published by one or the other', async () => {
    const living = await openSpool('living');
    const all = records(20);
    await living.append(all.slice(0, 10));
    looksDead('living');
    const other = await openSpool('other');
    const adopted = await drain(other);
    expect(adopted).toEqual(all.slice(0, 10));
    expect(segments()).toEqual([]); // published and deleted; what is written to it now is gone
    await living.append(all.slice(10));
    expect(await drain(living)).toEqual(all.slice(10));
    expect(readdirSync(join(root, 'living'))).toEqual(['owner.lock']);
  });

  it('loses nothing when it is adopted again and again under load', async () => {
    const living = await openSpool('living');
    const other = await openSpool('other');
    const all = records(3_000, 500);
    let answered = 0;
    const appended = (async () => {
      for (; answered < all.length; answered += 10) await living.append(all.slice(answered, answered + 10));
    })();
    const published: VisitRecord[] = [];
    let adoptions = 0;
    while (answered < all.length - 100) {
      const next = answered + 100;
      await waitUntil(() => answered >= next, { everyMs: 1, describe: 'visits answered' });
      looksDead('living');
      await other.adopt();
      const drained = await drain(other);
      adoptions += drained.length > 0 ? 1 : 0;
      published.push(...drained);
    }
    await appended;
    expect(adoptions).toBeGreaterThan(3);
    published.push(...(await drain(living)), ...(await drain(other)));
    expect(keysOf(published)).toEqual(keysOf(all));
  });

  it('notices by its heartbeat that its folder was adopted, and owns it again', async () => {
    const living = await openSpool('living');
    await living.append(records(2));
    looksDead('living');
    const other = await openSpool('other');
    expect([other.pendingEvents, living.pendingEvents]).toEqual([2, 2]);
    await living.adopt();
    expect([living.pendingEvents, living.hasWork]).toEqual([0, false]);
    expect(existsSync(join(root, 'living', 'owner.lock'))).toBe(true);
    await other.adopt();
    expect(await drain(living)).toEqual([]);
    expect((await drain(other)).length).toBe(2);
  });

  it('keeps a segment it cannot read, sends the others first, and it when it can be read', async () => {
    const spool = await openSpool('one');
    const first = records(3_000, 1_000);
    for (let i = 0; i < first.length; i += 1_000) await spool.append(first.slice(i, i + 1_000));
    const path = segments().sort()[0]!;
    renameSync(path, join(root, 'aside'));
    mkdirSync(path); // EISDIR
    const pending = [spool.pendingEvents, spool.sizeBytes.own];
    await expect(spool.nextBatch(LIMITS)).rejects.toMatchObject({ code: 'spool-read-failed' });
    expect([spool.pendingEvents, spool.sizeBytes.own]).toEqual(pending);
    const later = await readUntilItFails(spool);
    expect(later.length).toBeGreaterThan(0);
    const more = records(1);
    await spool.append(more);
    expect(await readUntilItFails(spool)).toEqual(more);
    expect(spool.hasWork).toBe(true);
    rmdirSync(path);
    renameSync(join(root, 'aside'), path);
    expect(keysOf([...(await drain(spool)), ...later])).toEqual(keysOf(first));
    expect([segments(), spool.hasWork, damage]).toEqual([[], false, []]);
  });

  const readUntilItFails = async (spool: VisitSpool) => {
    const drained: VisitRecord[] = [];
    for (;;) {
      const batch = await spool.nextBatch(LIMITS).catch((error: AppError) => error.code);
      if (typeof batch === 'string') return drained;
      expect(batch).toBeDefined();
      drained.push(...batch!.records);
      await batch!.confirm();
    }
  };

  it('takes up what an adoption that failed half-way left in its own folder', async () => {
    const dead = await openSpool('dead');
    const all = records(4);
    await dead.append(all);
    const next = await openSpool('next');
    renameSync(segments()[0]!, join(root, 'next', 'next-0000000099.spool'));
    expect(next.hasWork).toBe(false);
    await next.adopt();
    expect(next.pendingEvents).toBe(4);
    await next.adopt();
    expect(await drain(next)).toEqual(all);
  });

  it('does not publish again what the disk would not delete, and deletes it later', async () => {
    const spool = await openSpool('one');
    await spool.append(records(1));
    const batch = await spool.nextBatch(LIMITS);
    const path = segments()[0]!;
    renameSync(path, join(root, 'aside'));
    mkdirSync(path);
    await batch?.confirm();
    await spool.adopt();
    expect(spool.hasWork).toBe(false);
    rmdirSync(path);
    renameSync(join(root, 'aside'), path);
    await spool.adopt();
    expect([segments(), spool.hasWork]).toEqual([[], false]);
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

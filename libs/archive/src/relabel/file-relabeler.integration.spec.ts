import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { VISIT_CLASSES, type VisitClass } from '@hopcount/contracts';
import { DAY_MS, type EnrichedVisit, HOUR_MS, type LabelRules, VisitRelabeler } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import type { Transaction } from '@hopcount/postgres';
import { startBuiltProcess, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, hourAt, readRows } from '../archive.spec-helpers.js';

const DAY = hourAt('10T00');
const LATER = DAY + DAY_MS;
const RANGE = { from: DAY, to: LATER + DAY_MS };
const UNFINISHED = { code: 'relabel-unfinished', retryable: true };
/** As a script has them, too. */
const RULES = `{ classOf: () => ({ class: 'bot', reason: 'known-bot' }), channelOf: () => 'mail' }`;
const rules: LabelRules = {
  classOf: () => ({ class: 'bot', reason: 'known-bot' }),
  channelOf: () => 'mail',
};

describe('labelling history anew', () => {
  let spec: ArchiveSpec;
  let visits: EnrichedVisit[];
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    await spec.ledger.addLink('1');
    // Two files, and hours in the ledger alone.
    visits = [DAY, DAY + HOUR_MS, LATER].flatMap((atMs) =>
      Array.from({ length: 10 }, (_, n) => enrichedVisit({ atMs: atMs + n, linkId: '1' })),
    );
    await spec.commit(visits);
    for (const end of [1, 2]) await spec.seal(DAY + end * HOUR_MS);
  });
  afterEach(() => spec.close());

  const relabeler = (settings: { mostChanges?: number } = {}) =>
    new VisitRelabeler(spec.ledger.database, rules, { hasSlots: true, visitsAtOnce: 8, ...settings });

  /** To its end. @returns how many visits have another class now */
  async function relabel(one = relabeler(), range = RANGE): Promise<number> {
    const run = await one.open(range);
    await one.read(run);
    let changed = 0;
    const apply = async (tx: Transaction) => void (changed = await one.switch(tx, run));
    await spec.archive.relabel(run, rules, { apply, onFile: () => one.expectFewAside(run) });
    return changed;
  }

  /** Visits by class in every place that says so. */
  async function classes(): Promise<Record<string, Partial<Record<VisitClass, number>>>> {
    const { server } = spec.ledger;
    const sums = (table: string, what: string) =>
      server.query<{ class: number; n: number }>(
        `SELECT class, ${what}::int AS n FROM ${table} GROUP BY class HAVING ${what} <> 0 ORDER BY class`,
      );
    const active = await spec.active();
    const files = await readRows<{ class: number; n: string }>(
      `(SELECT class, count(*) AS n FROM read_parquet([${active.map((file) => `'${spec.pathOf(file)}'`).join(', ')}]) GROUP BY class ORDER BY class)`,
    );
    const named = (rows: readonly { class: number; n: number | string }[]) =>
      Object.fromEntries(rows.map((row) => [VISIT_CLASSES[row.class]!, Number(row.n)]));
    return {
      ledger: named(await sums('visits', 'count(*)')),
      buckets: named(await sums('link_traffic', 'sum(visits)')),
      everybody: named(await sums(`(SELECT * FROM scope_traffic WHERE scope = 'all') AS everybody`, 'sum(visits)')),
      files: named(files),
    };
  }
  const labelled = (of: VisitClass, inFiles = 20) => ({
    ledger: { [of]: 30 },
    buckets: { [of]: 30 },
    everybody: { [of]: 30 },
    files: { [of]: inFiles },
  });

  const aside = () => spec.ledger.server.query('SELECT FROM relabel_files');
  const untilOneWaits = () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const isWaiting = async () => (await spec.ledger.server.query(waiting)).length > 0;
    return waitUntil(isWaiting, { describe: 'somebody to wait for a lock' });
  };
  /** What runs while another transaction has something, which is done once all these wait for it. */
  async function whileHeld<T>(hold: string, start: () => Promise<T>, then = () => Promise.resolve<unknown>(0)) {
    let started: Promise<T> | undefined;
    await spec.ledger.database.transaction(async (tx) => {
      await tx.query(hold);
      started = start();
      started.catch(() => undefined);
      await untilOneWaits();
      await then();
    });
    return started!;
  }

  async function expectWhole(): Promise<void> {
    expect(await spec.ledger.differences()).toEqual([]);
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], dueHours: [] });
    await spec.archive.removeFiles(Date.now() + 2 * DAY_MS);
    expect(spec.onDisk()).toEqual((await spec.active()).map(({ path }) => path).sort());
    expect(await spec.ledger.server.query('SELECT FROM relabel_visits UNION ALL SELECT FROM relabel_files')).toEqual(
      [],
    );
  }

  it('killed at any step leaves all as it was; the same again goes on', async () => {
    const failpoints = mkdtempSync(join(tmpdir(), 'failpoints-'));
    const killAt = async (point: string) => {
      writeFileSync(join(failpoints, point), 'kill:1');
      const script = `
        import { Archive } from '@hopcount/archive';
        import { VisitRelabeler } from '@hopcount/ledger';
        import { Database } from '@hopcount/postgres';
        import { armFailpoints } from '@hopcount/runtime';
        armFailpoints(process.env);
        const rules = ${RULES};
        const database = await Database.connect({ url: '${spec.ledger.server.url}', applicationName: 'killed' });
        const archive = new Archive(database, { root: ${JSON.stringify(spec.root)}, memoryMb: 128 });
        const one = new VisitRelabeler(database, rules, { hasSlots: true, visitsAtOnce: 8 });
        const run = await one.open(${JSON.stringify(RANGE)});
        await one.read(run);
        await archive.relabel(run, rules, { apply: (tx) => one.switch(tx, run) });
        console.error('not killed');`;
      const child = startBuiltProcess(script, { environment: { HOPCOUNT_FAILPOINTS: failpoints } });
      let output = '';
      child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
      expect([point, output, signal]).toEqual([point, '', 'SIGKILL']);
      const left = () =>
        spec.ledger.server.query(
          `SELECT FROM pg_stat_activity WHERE application_name = 'killed' AND datname = current_database()`,
        );
      await waitUntil(async () => (await left()).length === 0, { describe: 'PostgreSQL to notice' });
    };
    const progress = async () =>
      (
        await spec.ledger.server.query<{ read: number; files: number }>(
          'SELECT visits::int AS read, (SELECT count(*)::int FROM relabel_files) AS files FROM relabels WHERE ended_at IS NULL',
        )
      )[0];
    const before = await classes();
    const steps: [string, { read: number; files: number }][] = [
      ['relabel.between-batches', { read: 8, files: 0 }],
      ['relabel.between-files', { read: 30, files: 1 }],
      ['archive.before-rename', { read: 30, files: 1 }],
      ['relabel.before-switch', { read: 30, files: 2 }],
      ['relabel.mid-switch', { read: 30, files: 2 }],
      ['relabel.before-commit', { read: 30, files: 2 }],
    ];
    try {
      for (const [point, came] of steps) {
        await killAt(point);
        expect([point, await progress(), await classes()]).toEqual([point, came, before]);
      }
    } finally {
      rmSync(failpoints, { recursive: true });
    }
    expect(await relabel()).toBe(30);
    expect(await classes()).toEqual(labelled('bot'));
    await expectWhole();
  }, 120_000);

  it('reads what was sealed, merged, purged and erased meanwhile, and changes it with the rest', async () => {
    const one = relabeler();
    const run = await one.open(RANGE);
    await one.read(run);
    let turn = 0;
    let changed = 0;
    const apply = async (tx: Transaction) => void (changed = await one.switch(tx, run));
    const onFile = async () => {
      turn += 1;
      // A hook that is not waited for: what it starts is done by the time the switch is tried, or makes it try again.
      if (turn === 1) await spec.archive.merge(LATER, LATER + 30 * DAY_MS);
    };
    const meanwhile: Promise<unknown>[] = [];
    await spec.seal(LATER + HOUR_MS);
    await spec.archive.relabel(run, rules, { apply, onFile: () => void meanwhile.push(onFile()) });
    await Promise.all(meanwhile);
    expect(changed).toBe(30);
    expect(await classes()).toEqual(labelled('bot', 30));
    await expectWhole();
  });

  it('leaves purged visits of a dropped month alone, although their file has them still', async () => {
    await spec.ledger.addLink('2');
    await spec.commit(Array.from({ length: 5 }, (_, n) => enrichedVisit({ atMs: DAY + 100 + n, linkId: '2' })));
    await spec.seal(LATER + HOUR_MS);
    await spec.drop();
    const one = relabeler();
    // Gone from the buckets, not from the file.
    await spec.purge('2', LATER);
    expect(await relabel(one)).toBe(30);
    expect(await classes()).toMatchObject({ buckets: { bot: 30 }, everybody: { bot: 30 } });
    await spec.seal(LATER + HOUR_MS);
    expect(await classes()).toMatchObject({ buckets: { bot: 30 }, everybody: { bot: 30 }, files: { bot: 30 } });
    expect(await spec.ledger.differences()).toEqual([]);
  });

  it('reaches a month that is closed, since it waits to be dropped', async () => {
    expect(await spec.drop({ examine: () => Promise.resolve({ keep: 'not yet' }) })).toBe('not yet');
    expect(await relabel()).toBe(30);
    expect(await classes()).toEqual(labelled('bot'));
    await expectWhole();
    await spec.seal(LATER + HOUR_MS);
    expect(await spec.drop()).toBeNull();
  });

  it('keeps nothing aside of a run that another one took the place of', async () => {
    const one = relabeler();
    const run = await one.open(RANGE);
    await one.read(run);
    const half = { from: DAY, to: DAY + HOUR_MS + 5 };
    const onFile = async () => void (await relabeler().open(half));
    const apply = async (tx: Transaction) => void (await one.switch(tx, run));
    await expect(spec.archive.relabel(run, rules, { apply, onFile })).rejects.toMatchObject(UNFINISHED);
    // That of the first file was given up; the second one was not left behind.
    expect([await aside(), spec.onDisk().length]).toEqual([[], 3]);
    expect(await relabel(relabeler(), half)).toBe(15);
    expect(await classes()).toMatchObject({ ledger: { human: 15, bot: 15 }, files: { human: 5, bot: 15 } });
    await expectWhole();
  });

  it('has its own range, whoever begins at the same time, and is not given up while it is switched', async () => {
    const insert = `INSERT INTO relabels (range_from, range_to, rules, read_to_time) VALUES (now(), now(), 1, now())`;
    const one = relabeler();
    await expect(whileHeld(insert, () => one.open(RANGE))).rejects.toMatchObject(UNFINISHED);
    const run = await one.open(RANGE);
    await one.read(run);
    let givingUp: Promise<void> | undefined;
    const apply = async (tx: Transaction) => {
      givingUp = relabeler().giveUp(run);
      givingUp.catch(() => undefined);
      await untilOneWaits();
      await one.switch(tx, run);
    };
    await spec.archive.relabel(run, rules, { apply });
    await expect(givingUp).rejects.toMatchObject(UNFINISHED);
    expect(await classes()).toEqual(labelled('bot'));
    await expectWhole();
  });

  it('writes files again that another process took for too old', async () => {
    const hold = `SELECT pg_advisory_xact_lock(hashtext('archive-manifest'))`;
    const active = (await spec.active()).map(({ path }) => path);
    const cleanUp = async () => {
      await spec.ledger.server.query('DELETE FROM relabel_files');
      for (const path of spec.onDisk()) if (!active.includes(path)) rmSync(spec.pathOf({ path }));
    };
    expect(await whileHeld(hold, () => relabel(), cleanUp)).toBe(30);
    await expectWhole();
  });

  it('a damaged file that is whole again does not bring old labels back', async () => {
    const [file] = await spec.active();
    const path = spec.pathOf(file!);
    const lose = async () => {
      renameSync(path, `${path}.lost`);
      await spec.archive.scrub(Date.now() + 2 * DAY_MS);
      expect(await spec.active()).not.toContainEqual(file);
    };
    const find = async () => {
      renameSync(`${path}.lost`, path);
      await spec.archive.scrub(Date.now());
    };
    await lose();
    await find();
    expect(await spec.active()).toContainEqual(file);
    await lose();
    expect(await relabel()).toBe(30);
    await find();
    expect(await classes()).toEqual(labelled('bot', 10));
    await spec.seal(DAY + HOUR_MS);
    expect(await classes()).toEqual(labelled('bot'));
    expect((await spec.archive.verify(LATER)).differences).toEqual([]);
  });

  it('of a dropped month waits for a damaged file', async () => {
    await spec.seal(LATER + HOUR_MS);
    await spec.drop();
    expect(await spec.archive.planLabels(RANGE, rules)).toMatchObject({ visits: 30, changing: 30, sums: 3 });
    const path = spec.pathOf((await spec.active())[0]!);
    renameSync(path, `${path}.lost`);
    for (let n = 0; n < 2; n += 1) await expect(relabel()).rejects.toMatchObject({ code: 'archive-file-damaged' });
    renameSync(`${path}.lost`, path);
    await spec.archive.scrub(Date.now());
    expect(await relabel()).toBe(30);
    expect(await classes()).toMatchObject({ buckets: { bot: 30 }, files: { bot: 30 } });
  });

  it.each(['was dropped and', 'is'])(
    'is refused where a month %s restored meanwhile, and begun anew is done',
    async (what) => {
      await spec.seal(LATER + HOUR_MS);
      const one = relabeler();
      if (what === 'is') await spec.drop();
      const run = await one.open(RANGE);
      if (what !== 'is') await spec.drop();
      await one.read(run);
      await spec.archive.restore(DAY, { keepUntilMs: 0 });
      const before = await classes();
      await expect(relabel(one)).rejects.toMatchObject(UNFINISHED);
      expect(await classes()).toEqual(before);
      await one.giveUp();
      expect(await relabel(one)).toBe(30);
      expect(await classes()).toEqual(labelled('bot', 30));
      expect(await spec.ledger.differences()).toEqual([]);
    },
  );

  it('changes nothing where too much would change at once, and another range takes its place', async () => {
    const before = await classes();
    await expect(relabel(relabeler({ mostChanges: 9 }))).rejects.toMatchObject({ code: 'relabel-too-large' });
    expect(await classes()).toEqual(before);
    expect(await relabel(relabeler(), { from: DAY, to: DAY + HOUR_MS })).toBe(10);
    expect((await classes())['ledger']).toEqual({ human: 20, bot: 10 });
    // What files move is of no account where the ledger has it.
    expect(await relabel(relabeler({ mostChanges: 20 }))).toBe(20);
    await expectWhole();
  });

  it('stops at the file with which too much would change at once', async () => {
    await spec.seal(LATER + HOUR_MS);
    await spec.drop();
    await expect(relabel(relabeler({ mostChanges: 1 }))).rejects.toMatchObject({ code: 'relabel-too-large' });
    expect(await aside()).toHaveLength(2);
  });
});

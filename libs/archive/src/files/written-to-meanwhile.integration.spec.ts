import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { DAY_MS, floorTo, type LabelRules, VisitEraser, VisitRelabeler } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import type { Transaction } from '@hopcount/postgres';
import { testS3, type TestS3 } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, hourAt, readRows } from '../archive.spec-helpers.js';
import { flip, overwrite } from './file-damage.spec-helpers.js';

const DAY = hourAt('10T00');
const HOUR = hourAt('10T08');
const LATER = DAY + DAY_MS;
const RANGE = { from: DAY, to: LATER };
const PERSON = {
  person: 'visitor' as const,
  hashes: ['5'],
  fromMs: Number.NEGATIVE_INFINITY,
  beforeMs: Number.POSITIVE_INFINITY,
};
const RULES: LabelRules = {
  classOf: () => ({ class: 'bot', reason: 'known-bot' }),
  channelOf: () => 'mail',
};

const CHANGED = { error: expect.objectContaining({ code: 'archive-file-changed', retryable: true }) };

interface Writer {
  /** A statement between its last look at a file and its COMMIT. */
  statement: RegExp;
  /** What it needs, before anything is compared. @returns the writer */
  prepare: (spec: ArchiveSpec) => Promise<() => Promise<unknown>>;
  /** Where a bucket's objects, not the local copies, are what it relies on. */
  folderOnly?: boolean;
}

const visitsAt = (atMs: number, visitor: string, linkId = '1') =>
  Array.from({ length: 4 }, (_, n) => enrichedVisit({ atMs: atMs + n, linkId, visitor }));

/**
 * Everything that reads files and commits what it found. A purge takes visits out as an erasure does, but in the same run what was
 * damaged is sealed anew.
 */
const WRITERS: Record<string, Writer> = {
  'seals late visits': {
    statement: /'archive-manifest'/,
    prepare: async (spec) => {
      await spec.commit(visitsAt(HOUR + 5_000, '7'));
      return () => spec.seal(LATER);
    },
  },
  'merges files': {
    statement: /'archive-manifest'/,
    prepare: (spec) => Promise.resolve(() => spec.archive.merge(LATER, Date.now() + 9 * DAY_MS)),
  },
  'erases a person from files, as a purge does it': {
    statement: /'archive-manifest'/,
    prepare: async (spec) => {
      await spec.drop();
      const eraser = new VisitEraser(spec.ledger.database, { hasSlots: true });
      const erasure = await eraser.mark(PERSON);
      await eraser.erase(erasure);
      return () => spec.archive.erasePeople(erasure, { ...eraser.inFiles(erasure), goesOn: () => Promise.resolve() });
    },
  },
  'writes files with new labels aside': {
    statement: /INSERT INTO relabel_files/,
    prepare: async (spec) => {
      const one = new VisitRelabeler(spec.ledger.database, RULES, { hasSlots: true });
      const run = await one.open(RANGE);
      await one.read(run);
      const apply = async (tx: Transaction) => void (await one.switch(tx, run));
      return () => spec.archive.relabel(run, RULES, { apply });
    },
  },
  'corrects sums by group and host from files': {
    statement: /'archive-manifest'/,
    prepare: async (spec) => {
      await spec.drop();
      await spec.ledger.server.query(`UPDATE scope_traffic SET visits = visits + 1 WHERE scope = 'group'`);
      return () => spec.archive.rebuildSums();
    },
  },
  'adds up days': {
    statement: /'day-aggregates'/,
    prepare: (spec) => {
      const dayOf = (instant: number) => {
        const from = floorTo(instant, DAY_MS);
        return { from, to: from + DAY_MS };
      };
      return Promise.resolve(() => spec.archive.aggregateDays({ dayOf, closedBefore: LATER, nowMs: Date.now() }));
    },
  },
  'drops a month': {
    statement: /'archive-manifest'/,
    prepare: (spec) => Promise.resolve(() => spec.drop()),
    folderOnly: true,
  },
  'restores a month': {
    statement: /^COPY visits_2026_09/,
    prepare: async (spec) => {
      await spec.drop();
      return () => spec.archive.restore(DAY, { keepUntilMs: 0 });
    },
  },
};

describe.each(['a folder', 'a bucket'])(
  'with an archive in %s, a file written to between reading and COMMIT',
  (place) => {
    let s3: TestS3 | undefined;
    let spec: ArchiveSpec;
    beforeAll(async () => {
      if (place === 'a bucket') s3 = await testS3();
    }, 400_000);
    afterAll(() => s3?.close());
    beforeEach(async () => {
      spec = await ArchiveSpec.open({ s3 });
      await spec.ledger.server.query(`INSERT INTO groups (id, name) VALUES ('spring', 'Spring')`);
      for (const link of ['1', '2']) await spec.ledger.addLink(link);
      await spec.ledger.server.query(`UPDATE links SET group_id = 'spring'`);
      for (const some of [[...visitsAt(HOUR, '5'), ...visitsAt(HOUR + 1_000, '6', '2')], visitsAt(HOUR + 2_000, '6')]) {
        await spec.commit(some);
        await spec.seal(LATER);
      }
    });
    afterEach(() => spec.close());

    const pathsOf = async () =>
      (await spec.active()).map((file) =>
        spec.bucket === undefined ? spec.pathOf(file) : join(spec.bucket.cacheFolder, 'files', basename(file.path)),
      );
    /** Calls it before the first statement that matches, of any transaction from now on. */
    function before(statement: RegExp, happens: () => void): void {
      const { database } = spec.ledger;
      const original = database.transaction.bind(database);
      let isOver = false;
      const look = (text: string) => {
        if (isOver || !statement.test(text)) return;
        isOver = true;
        happens();
      };
      const watched = (tx: Transaction) =>
        new Proxy(tx, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name);
            if (!(value instanceof Function)) return value;
            return (text: string, ...rest: unknown[]): unknown => {
              look(text);
              return value.call(target, text, ...rest);
            };
          },
        });
      database.transaction = (work, options) => original((tx) => work(watched(tx)), options);
    }

    /** Every row of every table; of files only which there are, and which were replaced. */
    async function contents(): Promise<Record<string, string>> {
      const { server } = spec.ledger;
      const tables = await server.query<{ name: string }>(
        `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
      );
      const hashes: Record<string, string> = {};
      for (const { name } of tables) {
        const rows = name === 'archive_files' ? `(SELECT id, state = 'replaced' FROM archive_files)` : name;
        const [row] = await server.query<{ hash: string }>(
          `SELECT coalesce(md5(string_agg(row::text, '|' ORDER BY row::text)), '') AS hash FROM ${rows} AS row`,
        );
        hashes[name] = row?.hash ?? '';
      }
      return hashes;
    }

    it.each(Object.entries(WRITERS).filter(([, { folderOnly }]) => place === 'a folder' || folderOnly !== true))(
      'keeps the process that %s from committing anything; later it commits',
      async (_does, { statement, prepare }) => {
        const write = await prepare(spec);
        const [paths, kept] = [await pathsOf(), await contents()];
        let whole: Buffer[] = [];
        before(statement, () => {
          whole = paths.map((path) => readFileSync(path));
          for (const path of paths) flip(path);
        });
        const ended = await write().catch((error: unknown) => ({ failed: [{ error }] }));
        expect(whole).toHaveLength(paths.length);
        if (typeof ended === 'string') expect(ended).toContain('was written to meanwhile');
        else expect(ended).toMatchObject({ failed: expect.arrayContaining([expect.objectContaining(CHANGED)]) });
        expect(await contents()).toEqual(kept);
        for (const [n, path] of paths.entries()) overwrite(path, whole[n]!);
        await spec.archive.scrub(Date.now() + 9 * DAY_MS);
        const again = await write();
        expect([again, await contents()]).not.toEqual([expect.anything(), kept]);
        expect((again as { failed?: unknown[] } | null)?.failed ?? []).toEqual([]);
      },
    );

    it('is written again where it lies aside with new labels, until they are switched', async () => {
      const one = new VisitRelabeler(spec.ledger.database, RULES, { hasSlots: true });
      const run = await one.open(RANGE);
      await one.read(run);
      const active = (await spec.active()).map(({ path }) => path);
      let written = 0;
      const onFile = () => {
        const [path] = spec.onDisk().filter((name) => !active.includes(name));
        if ((written += 1) === 1) flip(spec.pathOf({ path: path! }));
      };
      await spec.archive.relabel(run, RULES, { apply: async (tx) => void (await one.switch(tx, run)), onFile });
      expect(written).toBe(active.length + 1);
      expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], dueHours: [] });
      const files = (await spec.active()).map((file) => spec.pathOf(file));
      expect(await readRows(files, 'DISTINCT class')).toHaveLength(1);
    });
  },
);

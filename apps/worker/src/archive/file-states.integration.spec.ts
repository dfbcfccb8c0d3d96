import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ArchiveFile } from '@hopcount/archive';
import { FILE_CASES, makeFileCases, TOLD_DAMAGED, TOLD_STATES } from '@hopcount/archive/spec-helpers';
import { Database } from '@hopcount/postgres';
import { Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { JobsDeps } from '../jobs/start-jobs.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { recordedLog } from '../worker.spec-helpers.js';
import { archiveJobs, openArchive } from './archive-jobs.js';

const ALERTS = join(import.meta.dirname, '../../../../deploy/observability/prometheus/rules/alerts.yml');

describe('files of the archive, of whatever became of them', () => {
  const registry = new Registry();
  const { errors, logger } = recordedLog();
  let server: TestDatabase;
  let database: Database;
  let root: string;
  let files: Awaited<ReturnType<typeof makeFileCases>>;
  let samples: { name: string; labels: string; value: number }[];

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'worker-spec' });
    root = mkdtempSync(join(tmpdir(), 'worker-states-'));
    const config = { archiveUrl: root, archiveMemory: 128 };
    const deps = { config, database, metrics: createWorkerMetrics(registry), logger } as unknown as JobsDeps;
    const archive = openArchive(deps)!;
    files = await makeFileCases({ database, archive, root });
    const measure = archiveJobs(deps, archive).find(({ name }) => name === 'measure-archive')!;
    await measure.work(new AbortController().signal);
    samples = [...(await registry.metrics()).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name, labels, value]) => ({
        ...{ name: name!, labels: labels ?? '' },
        value: Number(value),
      }),
    );
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  it('are in the log with what to do, where they are damaged', () => {
    const told = (path: string) => errors.filter((error) => error.includes(path));
    for (const [name, { path }] of files) {
      const { state, advice } = FILE_CASES[name];
      const wasDamaged = name.startsWith('changed') || name.startsWith('missing');
      expect([name, told(path).length]).toEqual([name, wasDamaged ? 1 : 0]);
      // What holds the visits of others has changed since.
      const isAsThen = state === 'damaged' && !name.endsWith('archive');
      if (isAsThen) expect(told(path)).toEqual([expect.stringContaining(advice!)]);
    }
  });

  it('are counted by state in the metric', async () => {
    const rows = await server.query<Pick<ArchiveFile, 'state'>>('SELECT state FROM archive_files');
    const counted = samples.filter(({ name }) => name === 'hopcount_archive_files');
    const said: Record<string, number> = {};
    for (const { labels, value } of counted) said[/state="(\w+)"/.exec(labels)?.[1] ?? ''] = value;
    expect(Object.keys(said).sort()).toEqual(TOLD_STATES);
    for (const state of TOLD_STATES)
      expect({ state, files: said[state] }).toEqual({
        state,
        files: rows.filter((row) => row.state === state).length,
      });
    expect(said['damaged']).toBe(TOLD_DAMAGED);
  });

  it('set off the alert, whose expression asks for what the worker exports', () => {
    const rule = /alert: HopcountArchiveDamaged\n\s+expr: max\((\w+)\{(.*)\}\) > (\d+)/.exec(
      readFileSync(ALERTS, 'utf8'),
    );
    const [, asked, labels, limit] = rule ?? [];
    const selected = samples.filter(({ name, labels: its }) => name === asked && its.split(',').includes(labels!));
    expect(selected.map(({ value }) => value)).toEqual([TOLD_DAMAGED]);
    expect(TOLD_DAMAGED).toBeGreaterThan(Number(limit));
  });
});

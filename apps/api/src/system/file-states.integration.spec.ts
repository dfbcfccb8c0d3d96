import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive } from '@hopcount/archive';
import { FILE_CASES, makeFileCases, TOLD_DAMAGED, TOLD_STATES } from '@hopcount/archive/spec-helpers';
import { archiveFilesSchema, systemChecksSchema, systemSchema } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

describe('files of the archive, of whatever became of them', () => {
  let api: TestApi;
  let database: Database;
  let root: string;
  let files: Awaited<ReturnType<typeof makeFileCases>>;

  beforeAll(async () => {
    api = await TestApi.start();
    database = await Database.connect({ url: api.database.url, applicationName: 'spec' });
    root = mkdtempSync(join(tmpdir(), 'api-states-'));
    files = await makeFileCases({ database, archive: new Archive(database, { root, memoryMb: 128 }), root });
  });
  afterAll(async () => {
    await database.close();
    await api.stop();
    rmSync(root, { recursive: true });
  });

  it('are on the System page in their states', async () => {
    const { body } = await api.get('system/archive-files?itemsPerPage=100');
    const { data } = archiveFilesSchema.parse(body).archiveFiles;
    for (const [name, { id }] of files) {
      const state = data.find((file) => file.id === id)?.state;
      expect({ name, state }).toEqual({ name, state: FILE_CASES[name].state });
    }
    let { archive } = systemSchema.parse((await api.get('system')).body);
    const isKnown = async () => ({ archive } = systemSchema.parse((await api.get('system')).body)).archive !== null;
    await waitUntil(isKnown, { describe: 'the state of the archive' });
    expect(Object.keys(archive!).sort()).toEqual(TOLD_STATES);
    expect(archive!.damaged.files).toBe(TOLD_DAMAGED);
  });

  it('are in the checks, with the worst of them and what to do', async () => {
    const { body } = await api.get('system/checks');
    const check = systemChecksSchema.parse(body).checks.data.find(({ name }) => name === 'archive files');
    const worst = [...files].find(([, { path }]) => path === check?.values['path'])?.[0];
    expect(worst).toMatch(/held by nothing$/);
    expect(check).toMatchObject({
      ...{ status: FILE_CASES[worst!].doctor, foundCode: 'files-damaged', adviceCode: 'restore-files' },
      ...{ advice: expect.stringContaining(FILE_CASES[worst!].advice!), values: { count: TOLD_DAMAGED } },
    });
  });
});

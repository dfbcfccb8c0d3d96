import { type Check, fail, ok, warn } from '@hopcount/ledger';
import { type Database } from '@hopcount/postgres';
import { plural } from '@hopcount/runtime';

import { ArchiveManifest } from './archive-manifest.js';
import { adviceFor } from './damaged-file.js';

const NAME = 'archive files';

/** A line of doctor. The worst file is named: one that nothing else holds. */
export async function checkFiles(database: Database): Promise<Check> {
  const manifest = new ArchiveManifest(database);
  const known = (await manifest.summary()).damaged.files;
  const damaged = await manifest.damaged();
  const lost = damaged.filter(({ heldBy }) => heldBy === 'nothing');
  const [worst = damaged.find(({ heldBy }) => heldBy === 'ledger') ?? damaged[0]] = lost;
  if (worst === undefined) return ok(NAME, 'none is known to be damaged', { found: 'files-whole' });
  const { path } = worst;
  // The list ends at 100 files; others may have been found since they were counted.
  const count = Math.max(known, damaged.length);
  const found = `${plural(count, 'file')} damaged or missing, such as ${path}`;
  const said = { found: 'files-damaged', values: { count, path } } as const;
  return lost.length > 0
    ? fail(NAME, found, adviceFor(worst), { ...said, advice: 'restore-files' })
    : warn(NAME, found, adviceFor(worst), {
        ...said,
        advice: worst.heldBy === 'ledger' ? 'files-sealed-again' : 'files-held',
      });
}

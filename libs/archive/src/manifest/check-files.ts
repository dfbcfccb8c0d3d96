import { type Check, fail, ok, warn } from '@hopcount/ledger';
import { type Database } from '@hopcount/postgres';
import { plural } from '@hopcount/runtime';

import { adviceFor, listDamaged } from './damaged-file.js';

const NAME = 'archive files';

/** A line of doctor. The worst file is named: one that nothing else holds. */
export async function checkFiles(database: Database): Promise<Check> {
  const damaged = await listDamaged(database);
  const lost = damaged.filter(({ heldBy }) => heldBy === 'nothing');
  const [worst = damaged.find(({ heldBy }) => heldBy === 'ledger') ?? damaged[0]] = lost;
  if (worst === undefined) return ok(NAME, 'none is known to be damaged', { found: 'files-whole' });
  const { path } = worst;
  const found = `${plural(damaged.length, 'file')} damaged or missing, such as ${path}`;
  const said = { found: 'files-damaged', values: { count: damaged.length, path } } as const;
  return lost.length > 0
    ? fail(NAME, found, adviceFor(worst), { ...said, advice: 'restore-files' })
    : warn(NAME, found, adviceFor(worst), {
        ...said,
        advice: worst.heldBy === 'ledger' ? 'files-sealed-again' : 'files-held',
      });
}

import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { DAY_MS, HOUR_MS, LedgerRetention, LinkTotals, PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import type { Database } from '@hopcount/postgres';

import type { Archive } from './archive.js';
import type { ArchiveFile } from './manifest/archive-file.js';
import type { DamagedFile } from './manifest/damaged-file.js';

type State = ArchiveFile['state'];
type FileCase =
  Exclude<State, 'damaged'> | `${'changed' | 'missing'}, held by ${DamagedFile['heldBy']}` | 'changed, then expired';

/** What every surface is to say of a file. */
interface Told {
  state: State;
  /** What is said to do; null: nothing. */
  advice: string | null;
  doctor: 'ok' | 'warn' | 'fail';
}

const IN_ORDER = { advice: null, doctor: 'ok' } as const;
const RESEALED = { state: 'damaged', advice: 'seals its visits again from the ledger', doctor: 'warn' } as const;
const HELD = { state: 'damaged', advice: 'Other files hold its visits by now', doctor: 'warn' } as const;
const LOST = { state: 'damaged', advice: 'back from a backup', doctor: 'fail' } as const;

/** Everything that can become of a file: with another state, or holder of visits, this does not compile until it is added. */
export const FILE_CASES: Record<FileCase, Told> = {
  active: { state: 'active', ...IN_ORDER },
  replaced: { state: 'replaced', ...IN_ORDER },
  expired: { state: 'expired', ...IN_ORDER },
  'changed, then expired': { state: 'expired', ...IN_ORDER },
  'changed, held by archive': HELD,
  'missing, held by archive': HELD,
  'changed, held by ledger': RESEALED,
  'missing, held by ledger': RESEALED,
  'changed, held by nothing': LOST,
  'missing, held by nothing': LOST,
};
export const TOLD_DAMAGED = Object.values(FILE_CASES).filter(({ state }) => state === 'damaged').length;
export const TOLD_STATES = [...new Set(Object.values(FILE_CASES).map(({ state }) => state))].sort();

/** An hour with one visit each. Those of 2025 are dropped from the ledger, February from the archive. */
const recentHour = (hour: number, daysAgo = 3) =>
  Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS + hour * HOUR_MS;
const HOURS: Record<FileCase, number> = {
  replaced: recentHour(10, 4),
  active: recentHour(8),
  'changed, held by archive': recentHour(10),
  'missing, held by archive': recentHour(12),
  'changed, held by ledger': recentHour(14),
  'missing, held by ledger': recentHour(16),
  expired: Date.parse('2025-02-10T10:00Z'),
  'changed, then expired': Date.parse('2025-02-11T10:00Z'),
  'changed, held by nothing': Date.parse('2025-03-10T10:00Z'),
  'missing, held by nothing': Date.parse('2025-03-11T10:00Z'),
};

interface World {
  database: Database;
  archive: Archive;
  root: string;
}

/** A file in every case, made as it happens to files: by sealing, damage on disk, a look at all files, and time. @returns each case's */
export async function makeFileCases({ database, archive, root }: World): Promise<Map<FileCase, ArchiveFile>> {
  const before = recentHour(0, 1);
  const seal = async () => archive.seal(await archive.dueHours(before, 'all'));
  await database.query("SELECT create_visit_partitions('2025-02-01Z', '2025-04-01Z')");
  await commit(database, 0, [HOURS.replaced, HOURS.replaced + HOUR_MS]);
  await seal();
  await archive.compact(before);
  await commit(
    database,
    1,
    Object.values(HOURS).filter((hour) => hour !== HOURS.replaced),
  );
  await new LinkTotals(database).refresh();
  await seal();
  const files = new Map<FileCase, ArchiveFile>();
  for (const file of await archive.manifest.allFiles()) {
    const found = Object.entries(HOURS).find(([, hour]) => hour === file.period.from && file.level === 'hour');
    if (found !== undefined) files.set(found[0] as FileCase, file);
  }
  const retention = new LedgerRetention(database, { ledgerDays: 45, archive });
  await retention.dropMonths(Date.parse('2025-05-20Z'));
  const damage = async (isMeant: (name: string) => boolean) => {
    for (const [name, { path }] of files) {
      if (!isMeant(name)) continue;
      if (name.startsWith('changed')) appendFileSync(join(root, path), 'x');
      if (name.startsWith('missing')) rmSync(join(root, path));
    }
    await archive.verify(before);
  };
  await damage((name) => name.endsWith('archive'));
  await seal();
  await damage((name) => !name.endsWith('archive'));
  await archive.manifest.expire(Date.parse('2025-03-01Z'));
  return files;
}

async function commit(database: Database, partition: number, hours: readonly number[]): Promise<void> {
  const ref = { group: 'file-states', topic: 'file-states', partition };
  const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
  const visits = hours.map((atMs) => enrichedVisit({ atMs }));
  const batch = { checkpoint, nextOffset: BigInt(visits.length), lastRecordAtMs: 1, visits };
  await new VisitCommitter(database, { slots: 8 }).commit(batch);
}

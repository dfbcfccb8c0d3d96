import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '@hopcount/testing';

import { LinksApi } from '../../harness/links.js';
import { pick, type Random } from '../../harness/random.js';
import type { Fault } from '../fault.js';
import type { World } from '../world.js';
import { killAt } from './failpoints.js';
import { pidsOf, waitUntilReplaced } from './processes.js';

const ROWS = ['archive'];
/** A killed worker's lease has to run out first. */
const SEALS_WITHIN_MS = 240_000;
const AWAY_MS = 5_000;
const REFUSED_WITHIN_MS = 240_000;
const FLIPPED_BYTES = 64;

/** At one of the next files: each is one hit. */
const KILLS = ['before-rename', 'before-commit', 'after-commit'].map((point) =>
  killAt(`archive.${point}`, ROWS, { kind: 'worker', mostHits: 3 }),
);

const failedSealings = ({ counters }: World) =>
  counters.since('hopcount_archive_failures_total', { operation: 'seal' });
const failedRuns = ({ counters }: World) =>
  counters.since('hopcount_job_runs_total', { job_name: 'seal-archive', outcome: 'failed' });

const seals = async ({ ledger }: World) => (await ledger.archiveFiles('active')).length > 0;

/** The volume is not mounted: an empty folder is where the files were. */
const away: Fault = {
  name: 'archive-away',
  rows: ROWS,
  inject: async (world) => {
    await waitUntil(() => seals(world), { timeoutMs: SEALS_WITHIN_MS, describe: 'a file is sealed' });
    const failed = await failedRuns(world);
    await world.archiveVolume.takeAway();
    try {
      await waitUntil(async () => (await failed()) > 0, { timeoutMs: SEALS_WITHIN_MS, describe: 'sealing fails' });
      await sleep(AWAY_MS);
    } catch (error) {
      await world.archiveVolume.bringBack();
      throw error;
    }
    return {
      heal: () => world.archiveVolume.bringBack(),
      proof: async () => ({ what: 'sealings refused without the folder', count: await failed() }),
    };
  },
};

/** No file of the worker may grow, which fails its writes as a full disk does and can be undone. */
const diskFull: Fault = {
  name: 'archive-disk-full',
  rows: ROWS,
  inject: async (world) => {
    const [pid = 0] = await pidsOf(world, 'worker');
    const limitFiles = (limit: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:`]);
    const [hours, runs] = [await failedSealings(world), await failedRuns(world)];
    // Where purges have to be gathered first, no hour is reached.
    const failed = async () => (await hours()) + (await runs());
    limitFiles('0');
    try {
      await waitUntil(async () => (await failed()) > 0, { timeoutMs: SEALS_WITHIN_MS, describe: 'sealing fails' });
    } finally {
      limitFiles('unlimited');
    }
    return { proof: async () => ({ what: 'sealings that found the disk full', count: await failed() }) };
  },
};

/** Bytes of a file change while the ledger still has what it holds; the worker looks at each file once a day, so this one is made a day older. */
const damagedFile: Fault = {
  name: 'archive-file-damaged',
  rows: ROWS,
  inject: async (world) => {
    const { ledger, archive, random } = world;
    await waitUntil(() => seals(world), { timeoutMs: SEALS_WITHIN_MS, describe: 'a file is sealed' });
    const { id, path } = pick(random, await ledger.archiveFiles('active'));
    world.damaged.add(path);
    await flipBytes(archive.pathOf(path), random);
    await ledger.tamper(`UPDATE archive_files SET checked_at = checked_at - interval '2 days' WHERE id = '${id}'`);
    const before = await pidsOf(world, 'worker');
    for (const pid of before) process.kill(pid, 'SIGTERM');
    await waitUntilReplaced(world, 'worker', before, before);
    await waitUntil(async () => !(await ledger.archiveFiles('active')).some((file) => file.id === id), {
      timeoutMs: SEALS_WITHIN_MS,
      describe: 'the damaged file is not read any more',
    });
    const count = (await ledger.archiveFiles('damaged')).filter((file) => file.id === id).length;
    return { proof: () => Promise.resolve({ what: 'damaged files set aside', count }) };
  },
};

async function flipBytes(path: string, random: Random): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(1);
    for (let flipped = 0; flipped < FLIPPED_BYTES; flipped += 1) {
      const at = Math.floor(random() * size);
      await file.read(bytes, 0, 1, at);
      bytes.writeUInt8(bytes.readUInt8(0) ^ 0xff);
      await file.write(bytes, 0, 1, at);
    }
  } finally {
    await file.close();
  }
}

/** Visits of a link that are in files are deleted: they must go from the files, too, and stay away. */
const purge: Fault = {
  name: 'purge-sealed-visits',
  rows: ROWS,
  inject: async (world) => {
    const { archive, links, ledger, purged, random, stack } = world;
    const sealed = async () => {
      const ids = new Set((await archive.visits()).map(({ linkId }) => linkId));
      return links.filter(({ id }) => ids.has(id));
    };
    const candidates = await waitUntil(async () => ((await sealed()).length > 0 ? sealed() : undefined), {
      timeoutMs: SEALS_WITHIN_MS,
      describe: 'a file has visits of a link',
    });
    const { id, shortCode } = pick(random, candidates);
    const before = (await archive.visits()).filter(({ linkId }) => linkId === id);
    const startedMs = Date.now();
    try {
      await waitUntil(async () => (await new LinksApi(stack.file).purge(shortCode)) >= 0, {
        timeoutMs: SEALS_WITHIN_MS,
        describe: 'the visits are deleted',
      });
    } finally {
      const purgedBefore = await ledger.purgedBefore(id);
      if (purgedBefore !== undefined) purged.set(shortCode, purgedBefore);
    }
    const at = purged.get(shortCode) ?? 0;
    if (at < startedMs || at > Date.now())
      throw new Error(`purged before ${new Date(at).toISOString()}, not before now`);
    const ids = new Set(before.map(({ eventId }) => eventId));
    await waitUntil(async () => !(await archive.visits()).some(({ eventId }) => ids.has(eventId)), {
      timeoutMs: SEALS_WITHIN_MS,
      everyMs: 500,
      describe: 'the files have none of them',
    });
    return { proof: () => Promise.resolve({ what: 'deleted visits taken out of files', count: ids.size }) };
  },
};

/**
 * A row of the ledger cannot be found for a while, which its buckets know of: what is sealed meanwhile would lack
 * it for good if nobody compared.
 */
const rowMissing: Fault = {
  name: 'ledger-row-missing',
  rows: ROWS,
  inject: async (world) => {
    const { ledger } = world;
    const putBack = () =>
      ledger.tamper(`WITH back AS (DELETE FROM chaos_missing RETURNING *) INSERT INTO visits SELECT * FROM back`);
    const workers = await pidsOf(world, 'worker');
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    try {
      await waitUntil(() => takeRowOut(world), { timeoutMs: SEALS_WITHIN_MS, describe: 'a late visit is counted' });
    } finally {
      for (const pid of workers) process.kill(pid, 'SIGCONT');
    }
    const failed = await failedSealings(world);
    try {
      // Once may be another hour, whose files changed meanwhile; this one fails again and again.
      await waitUntil(async () => (await failed()) > 2, {
        timeoutMs: REFUSED_WITHIN_MS,
        describe: 'sealing is refused',
      });
    } catch (error) {
      await putBack();
      throw error;
    }
    return { heal: putBack, proof: async () => ({ what: 'hours that were not sealed', count: await failed() }) };
  },
};

/** @returns false when Kafka took no visit */
async function takeRowOut({ ledger, late, links, purged, random }: World): Promise<boolean> {
  const link = links.findIndex(({ shortCode }) => !purged.has(shortCode));
  const [id, ...others] = await late.send(10, 1 + Math.floor(random() * 5), link);
  if (id === undefined) return false;
  await waitUntil(async () => (await ledger.countEvents([id, ...others])) === others.length + 1, {
    timeoutMs: SEALS_WITHIN_MS,
    describe: 'the late visits are counted',
  });
  await ledger.tamper('CREATE TABLE IF NOT EXISTS chaos_missing (LIKE visits)');
  await ledger.tamper(
    `WITH gone AS (DELETE FROM visits WHERE event_id = '${id}' RETURNING *) INSERT INTO chaos_missing SELECT * FROM gone`,
  );
  return true;
}

export const ARCHIVE_FAULTS: Fault[] = [...KILLS, away, diskFull, damagedFile, purge, rowMissing];

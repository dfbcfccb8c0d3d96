import { deepStrictEqual } from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { readLag, runCli } from './cli.js';
import { assertConserved, type Purged, withoutPurged } from './conservation.js';
import type { Ledger } from './ledger.js';
import type { RunningStack } from './stack.js';
import type { VisitorLoad } from './visitor-load.js';

const SPOOL_WITHIN_MS = 120_000;
const COUNTED_WITHIN_SECONDS = 180;

export interface CountedParts {
  ledger: Ledger;
  links: readonly ShortUrl[];
  load: Pick<VisitorLoad, 'acknowledged' | 'inDoubt' | 'repeatedIds'>;
  purged?: Purged;
}

/**
 * The quiet period and the final check of every whole-system test: waits until everything published
 * is counted, then holds event ids, every sum and every recomputed number against the ledger; ids first,
 * since what was lost or doubled says more than the numbers that follow from it.
 * @throws Error that says what is lost, doubled or wrong
 */
export async function assertEverythingCounted(
  stack: RunningStack,
  { ledger, links, load, purged = new Map() }: CountedParts,
): Promise<void> {
  // What is still in a spool is not published yet: no lag would show it. Asked of the disk, since of
  // several gateways that share a port any one would answer.
  await waitUntil(async () => (await spooledSegments(stack)) === 0, {
    timeoutMs: SPOOL_WITHIN_MS,
    everyMs: 200,
    describe: 'the spool is drained',
  });
  const verified = await runCli(
    await stack.read(),
    'verify',
    '--wait',
    '--wait-seconds',
    String(COUNTED_WITHIN_SECONDS),
  );
  const linkIds = links.map((link) => link.id);
  const { inDoubt, repeatedIds } = load;
  const acknowledged = withoutPurged(load.acknowledged, purged);
  assertConserved({ acknowledged, inDoubt, repeatedIds }, await ledger.visits(linkIds));
  const sums = await ledger.sums(linkIds);
  for (const kept of ['slots', 'traffic', 'totals'] as const) {
    deepStrictEqual(sums[kept], sums.ledger, `${kept} differ from the ledger`);
  }
  const [sources, rows] = await ledger.sourceTraffic();
  deepStrictEqual(sources, rows, 'the visits of all sources differ from the ledger');
  const different = await ledger.differentHostSums();
  deepStrictEqual(different, [], 'visits by target and short host differ from those of links');
  const said = `${verified.stdout}${verified.stderr}`;
  if (verified.code !== 0 || !said.includes('Every number equals the ledger')) throw new Error(`verify: ${said}`);
  const { pending } = await readLag(await stack.read());
  deepStrictEqual(pending, 0, 'something published is not counted');
}

async function spooledSegments(stack: RunningStack): Promise<number> {
  const files = await readdir(join(stack.dataDir, 'spool'), { recursive: true });
  return files.filter((file) => file.endsWith('.spool')).length;
}

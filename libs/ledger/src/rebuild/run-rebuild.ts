import type { Database } from '@hopcount/postgres';
import { createRateLimit, failpoint, inSteps, type OnStep, type ShowsProgress } from '@hopcount/runtime';

import { HostFold } from '../hosts/host-fold.js';
import type { Difference } from '../verify/checks.js';
import { readDoubted, trustSums } from '../verify/doubted-sums.js';
import { compareScope } from './compare-scope.js';
import { addRebuildCounts, LedgerRebuild, type RebuildCounts } from './ledger-rebuild.js';
import { startLinkProgress } from './link-progress.js';
import { chunksOf, type RebuildScope } from './rebuild-scope.js';

const NO_COUNTS: RebuildCounts = {
  ...{ links: 0, buckets: 0, slots: 0, totals: 0, folds: 0 },
  ...{ scopes: 0, sourceMinutes: 0, hosts: 0, days: 0, tags: 0 },
};

/** Where another process goes on. */
export interface RebuildCheckpoint {
  /** Links up to this id are rebuilt. */
  lastLink: string;
  /** So many of the steps after the links are done. */
  steps: number;
  /** Months whose files could not be read. */
  failed: number;
  counts: RebuildCounts;
}

export interface RebuildRequest {
  database: Database;
  scope: RebuildScope;
  slots: 'on' | 'off';
  chunkLinks: number;
  ratePerSecond?: number | undefined;
  /** Of months that the ledger dropped files alone know groups and hosts. */
  archive?: { rebuildSums(onStep: OnStep): Promise<{ corrected: number; failed: readonly FailedMonth[] }> } | undefined;
  shown: ShowsProgress;
  /** Left out: from the beginning. */
  begin?: Partial<RebuildCheckpoint> | undefined;
  /** Keeps it before anything else is done. */
  keep: (checkpoint: RebuildCheckpoint) => Promise<void>;
  onFailedMonth: (month: FailedMonth) => void;
}

interface FailedMonth {
  what: string;
  error: unknown;
}

export interface RebuildResult extends RebuildCheckpoint {
  /** What differs still. */
  left: Difference[];
}

/**
 * Rebuilds, compares again and says what differs still. Killed anywhere, another process goes on from the checkpoint: each
 * transaction adds what the ledger has more than is kept, so one that committed without its checkpoint finds no difference when it
 * is made again. Only the counts of that one are missing from the result.
 */
export async function runRebuild(request: RebuildRequest): Promise<RebuildResult> {
  const { database, scope, slots, shown } = request;
  const { isListedSuffix } = await import('@hopcount/hosts');
  const lib = new LedgerRebuild(
    database,
    slots === 'on' ? 'slots' : 'traffic',
    new HostFold(database, { isSuffix: isListedSuffix }),
  );
  // What was doubted since the steps of an earlier run stays so: they have not looked at it.
  const isFresh = (request.begin?.steps ?? 0) === 0;
  const doubted = scope.whole && isFresh ? await readDoubted(database) : undefined;
  const begin = { lastLink: scope.after, steps: 0, failed: 0, counts: NO_COUNTS, ...request.begin };
  await request.keep(begin);
  const linked = begin.steps > 0 ? begin : await rebuildLinks(lib, request, begin);
  const done = scope.whole ? await rebuildSums(lib, request, linked) : linked;
  const left = await compareScope(database, scope, { slots, shown });
  if (left.length === 0 && done.failed === 0)
    await trustSums(database, doubted, { archived: request.archive !== undefined });
  return { ...done, left };
}

async function rebuildLinks(
  lib: LedgerRebuild,
  { database, scope, chunkLinks, ratePerSecond, shown, keep }: RebuildRequest,
  begin: RebuildCheckpoint,
): Promise<RebuildCheckpoint> {
  const rest = { ...scope, after: begin.lastLink };
  const progress = await startLinkProgress(database, shown, 'links', rest);
  const rateLimit = createRateLimit(ratePerSecond);
  let at = begin;
  for await (const links of chunksOf(lib, rest, Math.min(chunkLinks, ratePerSecond ?? chunkLinks))) {
    await rateLimit(links.length);
    const counts = addRebuildCounts(at.counts, await lib.rebuildLinks(links));
    failpoint('rebuild-chunk-done');
    at = { ...at, counts, lastLink: links.at(-1) ?? at.lastLink };
    await keep(at);
    progress.at(counts.links - begin.counts.links);
  }
  progress.end();
  return at;
}

/** Of all links together, after the links. */
async function rebuildSums(
  lib: LedgerRebuild,
  { archive, shown, keep, onFailedMonth }: RebuildRequest,
  begin: RebuildCheckpoint,
): Promise<RebuildCheckpoint> {
  const days = (what: string, work: (onStep: OnStep) => Promise<number>) => inSteps(shown, what, work);
  const fileSums = async (onStep: OnStep) => archive?.rebuildSums(onStep) ?? { corrected: 0, failed: [] };
  const steps: (() => Promise<Partial<RebuildCounts> & { failed?: number }>)[] = [
    async () => ({ scopes: await days('days of scopes', (onStep) => lib.rebuildScopes(onStep)) }),
    async () => ({ sourceMinutes: await days('days of gateways', (onStep) => lib.rebuildSources(onStep)) }),
    async () => ({ hosts: await days('days of hosts', (onStep) => lib.rebuildHosts(onStep)) }),
    async () => {
      const { corrected, failed } = await inSteps(shown, 'months of files', fileSums);
      for (const month of failed) onFailedMonth(month);
      return { hosts: corrected, failed: failed.length };
    },
    async () => ({ tags: await lib.rebuildTags() }),
    async () => ({ days: await lib.dropWrongDays() }),
  ];
  let at = begin;
  for (const step of steps.slice(begin.steps)) {
    const { failed = 0, ...counts } = await step();
    failpoint('rebuild-step-done');
    at = { ...at, counts: addRebuildCounts(at.counts, counts), failed: at.failed + failed, steps: at.steps + 1 };
    await keep(at);
  }
  return at;
}

import type { SlotMerger } from '@hopcount/ledger';
import type { Logger } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';

const EVERY_MS = 30_000;

/** Merges slots nobody adds to any more, so that rows do not stay spread for ever. Two at once take different rows. */
export function createMergeSlotsJob(deps: {
  merger: Pick<SlotMerger, 'merge'>;
  logger: Logger;
  nowMs?: () => number;
}): JobDefinition {
  return {
    name: 'merge-slots',
    intervalMs: EVERY_MS,
    work: async function mergeSlots(signal) {
      const merged = await deps.merger.merge((deps.nowMs ?? Date.now)(), signal);
      if (merged.counters + merged.buckets + merged.minutes > 0) deps.logger.info({ merged }, 'slots merged');
    },
  };
}

import { HOST_COUNTS_TOPIC } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { DuplicateDeliveries } from '../../harness/duplicate-deliveries.js';
import type { Fault } from '../fault.js';
import { killAt } from './failpoints.js';

/** A few batches a second, over all processes. */
const MOST_HITS = 5;
const KNOWN_WITHIN_MS = 60_000;

/** All counts that are in the topic come again, half of them on another partition. */
const replayedCounts: Fault = {
  name: 'replayed-counts',
  rows: ['feed'],
  inject: async ({ stack, counters }) => {
    const known = await counters.since('hopcount_host_batches_total', { outcome: 'known' });
    const deliveries = await DuplicateDeliveries.start(stack.file.kafkaBrokers, 1, { topic: HOST_COUNTS_TOPIC });
    const areKnown = async () => deliveries.sent > 0 && (await known()) > 0;
    try {
      await waitUntil(areKnown, { timeoutMs: KNOWN_WITHIN_MS, everyMs: 200, describe: 'counts are recognised again' });
    } finally {
      await deliveries.stop();
    }
    return { proof: () => Promise.resolve({ what: 'batches of counts delivered again', count: deliveries.sent }) };
  },
};

export const FEED_FAULTS: Fault[] = [
  killAt('api.host-counts-published', ['feed'], { mostHits: MOST_HITS }),
  killAt('consumer.feed-after-poll', ['feed'], { mostHits: MOST_HITS }),
  killAt('consumer.feed-mid-transaction', ['feed'], { mostHits: MOST_HITS }),
  killAt('consumer.feed-before-commit', ['feed'], { mostHits: MOST_HITS }),
  killAt('consumer.feed-after-commit', ['feed'], { mostHits: MOST_HITS }),
  killAt('fold-hosts.mid-transaction', ['feed'], { kind: 'worker', mostHits: MOST_HITS }),
  replayedCounts,
];

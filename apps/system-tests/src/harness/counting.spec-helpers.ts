import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { expect } from '@jest/globals';

import { runCli } from './cli.js';
import { assertConserved } from './conservation.js';
import type { Ledger } from './ledger.js';
import { readMetric } from './metrics.js';
import type { RunningStack } from './stack.js';
import type { VisitorLoad } from './visitor-load.js';

/**
 * The quiet period and the final check of every whole-system test: waits until everything published
 * is counted, then holds event ids, every sum and every recomputed number against the ledger; ids first,
 * since what was lost or doubled says more than the numbers that follow from it.
 */
export async function expectEverythingCounted(
  stack: RunningStack,
  parts: { ledger: Ledger; links: readonly ShortUrl[]; load: VisitorLoad },
): Promise<void> {
  // What is still in a spool is not published yet: no lag would show it.
  await waitUntil(async () => (await readMetric(stack.file.gatewayUrl, 'spool_events')) === 0, {
    timeoutMs: 60_000,
    everyMs: 200,
    describe: 'the spool is drained',
  });
  const verified = await runCli(await stack.read(), 'verify', '--wait', '--wait-seconds', '120');
  const linkIds = parts.links.map((link) => link.id);
  assertConserved(parts.load, await parts.ledger.visits(linkIds));
  const sums = await parts.ledger.sums(linkIds);
  expect(sums.slots).toEqual(sums.ledger);
  expect(sums.traffic).toEqual(sums.ledger);
  expect(sums.totals).toEqual(sums.ledger);
  const [sources, ledgerRows] = await parts.ledger.sourceTraffic();
  expect(sources).toBe(ledgerRows);
  expect(`${verified.stdout}${verified.stderr}`).toMatch(/Every number equals the ledger/);
  expect(verified.code).toBe(0);
}

import type { ShortUrl } from '@hopcount/contracts';
import { expect } from '@jest/globals';

import { runCli } from './cli.js';
import { assertConserved } from './conservation.js';
import type { Ledger } from './ledger.js';
import type { RunningStack } from './stack.js';
import type { VisitorLoad } from './visitor-load.js';

/**
 * The quiet period and the final check of every whole-system test: waits until everything published
 * is counted, then holds event ids, every sum and every recomputed number against the ledger.
 */
export async function expectEverythingCounted(
  stack: RunningStack,
  parts: { ledger: Ledger; links: readonly ShortUrl[]; load: VisitorLoad },
): Promise<void> {
  const verified = await runCli(await stack.read(), 'verify', '--wait', '--wait-seconds', '120');
  expect(`${verified.stdout}${verified.stderr}`).toMatch(/Every number equals the ledger/);
  expect(verified.code).toBe(0);
  const linkIds = parts.links.map((link) => link.id);
  assertConserved(parts.load, await parts.ledger.visits(linkIds));
  const sums = await parts.ledger.sums(linkIds);
  expect(sums.slots).toEqual(sums.ledger);
  expect(sums.traffic).toEqual(sums.ledger);
  expect(sums.totals).toEqual(sums.ledger);
  const [sources, ledgerRows] = await parts.ledger.sourceTraffic();
  expect(sources).toBe(ledgerRows);
}

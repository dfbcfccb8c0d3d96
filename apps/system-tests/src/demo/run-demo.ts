import { setTimeout as sleep } from 'node:timers/promises';

import { type LinkStatistics, type ShortUrl, type StackFile, UNKNOWN } from '@hopcount/contracts';

import { assertConserved } from '../harness/conservation.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { VisitorLoad } from '../harness/visitor-load.js';
import { createDemoLinks } from './links.js';
import { addUp, bar, showDimensions, showLink } from './show.js';

const COUNTED_WITHIN_MS = 30_000;
const POLL_MS = 200;
const VISITORS = 900;

/** @returns the exit code: 1 when a visit was lost, doubled or invented */
export async function runDemo(stack: StackFile, visits: number): Promise<number> {
  const api = new LinksApi(stack);
  const links = await createDemoLinks(api);
  print(`Created ${links.length} links on ${stack.gatewayUrl}`);
  const load = new VisitorLoad({ gatewayUrl: stack.gatewayUrl, links, visitors: VISITORS, seed: Date.now() });
  const startedMs = performance.now();
  await load.run(visits, { onProgress: () => progress('visiting', load.acknowledged.size, visits) });
  load.close();
  const seconds = (performance.now() - startedMs) / 1_000;
  endProgress();
  print(`${load.acknowledged.size} visits answered in ${seconds.toFixed(1)} s, each durable before its redirect\n`);

  const statistics = await waitUntilCounted(api, links, load.acknowledged.size);
  for (const [index, link] of links.entries()) print(showLink(link, statistics[index] as LinkStatistics));
  print(showDimensions(statistics));
  explainForwardedAddresses(statistics);
  print(statistics[0]?.attribution ?? '');
  return checkConservation(stack, links, load);
}

async function waitUntilCounted(api: LinksApi, links: ShortUrl[], wanted: number): Promise<LinkStatistics[]> {
  const startedMs = performance.now();
  for (;;) {
    const statistics = await Promise.all(links.map((link) => api.statistics(link.shortCode)));
    const counted = statistics.reduce((sum, one) => sum + one.totals.visits, 0);
    const waitedMs = performance.now() - startedMs;
    progress('counting', counted, wanted);
    if (counted >= wanted || waitedMs > COUNTED_WITHIN_MS) {
      endProgress();
      const [first] = statistics;
      print(
        `${counted} counted ${(waitedMs / 1_000).toFixed(1)} s later; ` +
          `complete up to ${first?.countedUpTo ?? '?'}, ${first?.pending ?? '?'} waiting\n`,
      );
      return statistics;
    }
    await sleep(POLL_MS);
  }
}

function explainForwardedAddresses(statistics: LinkStatistics[]): void {
  if (addUp('country', statistics).some(([value]) => value !== UNKNOWN)) return;
  print('Every country is unknown: the gateway does not believe X-Forwarded-For from this machine. Start it with');
  print('  TRUSTED_PROXIES=127.0.0.1/32 npm start\n');
}

async function checkConservation(stack: StackFile, links: ShortUrl[], load: VisitorLoad): Promise<number> {
  const ledger = await Ledger.open(stack.databaseUrl);
  try {
    const counted = await ledger.visits(links.map((link) => link.id));
    assertConserved(load, counted);
    const doubt = load.inDoubt.size === 0 ? '' : `, ${load.inDoubt.size} requests in doubt`;
    print(`Conserved: ${load.acknowledged.size} event ids acknowledged, the same ${counted.length} counted${doubt}.`);
    return 0;
  } catch (error) {
    print(`NOT conserved: ${(error as Error).message}`);
    return 1;
  } finally {
    await ledger.close();
  }
}

function progress(what: string, done: number, of: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\u001b[K${what} ${bar(done, of).padEnd(24)} ${done}/${of}`);
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { eventIdTimeMs, type ShortUrl } from '@hopcount/contracts';
import { assertSameIds } from '@hopcount/testing';

import type { ArchiveFiles } from './archive-files.js';
import { runCli } from './cli.js';
import type { Ledger } from './ledger.js';
import { LinksApi } from './links.js';
import type { RunningStack } from './stack.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A killed worker's lease has to run out first. */
const SEALED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 2_000;
/** The first question opens every file of sixty days, each of which late visits made anew; nothing here is about speed. */
const ANSWERED_WITHIN_MS = 120_000;

export interface ArchivedParts {
  ledger: Ledger;
  archive: ArchiveFiles;
  /** Paths of files that were damaged on purpose. */
  damaged: ReadonlySet<string>;
}

/**
 * The final check of the archive, once everything is counted: workers have sealed all that is closed, files and
 * buckets agree, no file was set aside that nobody damaged, and the files hold the closed hours of the ledger, each visit
 * once, as somebody sees it who shares no code with what wrote them.
 * @throws Error that says what is missing or wrong
 */
export async function assertEverythingArchived(
  stack: RunningStack,
  { ledger, archive, damaged }: ArchivedParts,
): Promise<void> {
  const closedBefore = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  await waitUntilVerified(stack, archive.folder);
  const aside = (await ledger.archiveFiles('damaged')).map(({ path }) => path).filter((path) => !damaged.has(path));
  if (aside.length > 0) throw new Error(`archive: set aside, though nobody damaged them: ${aside.join(', ')}`);
  const [counted, filed] = [await ledger.allVisits(), await archive.visits()];
  const closed = (visits: { eventId: string; linkId: string }[]) =>
    visits
      .filter(({ eventId }) => eventIdTimeMs(eventId) < closedBefore)
      .map(({ eventId, linkId }) => `${eventId} of ${linkId}`);
  try {
    assertSameIds(closed(counted), closed(filed));
  } catch (error) {
    throw new Error(`archive: visits of closed hours in files: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * What the API says of each link over all of it, from files and ledger together, is what the rows of the ledger say.
 * @throws Error that says what is wrong
 */
export async function assertStatisticsExact(
  stack: RunningStack,
  { ledger, links }: { ledger: Ledger; links: readonly ShortUrl[] },
): Promise<void> {
  const api = new LinksApi(await stack.read(), ANSWERED_WITHIN_MS);
  const [startDate = '', endDate = ''] = [-60, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
  const counted = await ledger.totals();
  let fromFiles = 0;
  for (const { id, shortCode } of links) {
    const answer = await api.statistics(shortCode, { startDate, endDate, interval: 'week', timeZone: 'Asia/Kolkata' });
    const { visits, visitors, ips } = answer.totals;
    const expected = { ...(counted.get(id) ?? { visits: 0, visitors: 0, ips: 0 }), exact: true };
    const actual = { visits, visitors, ips, exact: answer.exact };
    deepStrictEqual(actual, expected, `statistics of ${shortCode} differ: ${JSON.stringify({ actual, expected })}`);
    fromFiles += answer.readFrom.archivedVisits;
  }
  if (fromFiles === 0) throw new Error('statistics: no visit was read from a file');
}

/** A difference is final; what is due is waited for. */
async function waitUntilVerified(stack: RunningStack, archiveUrl: string): Promise<void> {
  const deadlineMs = Date.now() + SEALED_WITHIN_MS;
  for (;;) {
    const services = { ...(await stack.read()), archiveUrl };
    const { code, stdout, stderr } = await runCli(services, 'archive', 'verify', '-o', 'json');
    if (code !== 0) throw new Error(`archive verify: ended with ${String(code)}: ${stdout.slice(0, 2_000)}${stderr}`);
    const { dueHours, purgedVisits } = JSON.parse(stdout) as { dueHours: number[]; purgedVisits: number };
    if (dueHours.length + purgedVisits === 0) return;
    if (Date.now() > deadlineMs) {
      const hours = dueHours.slice(0, 5).map((hour) => new Date(hour).toISOString());
      throw new Error(
        `archive verify: not within ${SEALED_WITHIN_MS} ms: ${dueHours.length} hours are due (${hours.join(', ')}), ` +
          `${purgedVisits} purged visits are in files`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

import { readFileSync } from 'node:fs';

import type { EnrichedVisit } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { expect } from '@jest/globals';

import type { TestApi } from '../api.spec-helpers.js';

/** Each a path and what its answer has, among other things. */
const QUESTION = /^ask '(?<path>[^']+)' # (?<answer>\{.*\})$/gm;
const DAY_MS = 86_400_000;

interface ReadmeNumbers {
  totals: { visits: number; visitors: number; ips: number; byClass: { human: number; bot: number } };
  channels: { named: { value: string; visits: number }[]; others: number };
  germans: { visits: number; visitors: number };
  links: { first: { shortCode: string; visits: number }; others: number };
  checksum: bigint;
}

/** Counts visits that add up to what the README says, and asks its questions as they stand there. */
export async function askReadmeQuestions(
  api: TestApi,
  commit: (visits: EnrichedVisit[]) => Promise<unknown>,
): Promise<void> {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  const questions = [...readme.matchAll(QUESTION)].map(({ groups }) => ({
    path: groups!['path']!,
    expected: JSON.parse(groups!['answer']!) as Record<string, never>,
  }));
  expect(questions).toHaveLength(5);
  const numbers = numbersOf(questions.map(({ expected }) => expected));
  const codes = [
    numbers.links.first.shortCode,
    ...Array.from({ length: numbers.links.others }, (_, n) => `other-${n}`),
  ];
  const linkIds: string[] = [];
  for (const customSlug of codes) {
    linkIds.push((await api.create({ longUrl: 'https://example.com', customSlug })).body['id'] as string);
  }
  await commit(visitsOf(numbers, linkIds));
  for (const { path, expected } of questions) {
    const { status, body } = await api.get(`statistics/${path}`);
    expect([path, status, body]).toEqual([path, 200, expect.objectContaining({ exact: true })]);
    expect(body).toMatchObject(expected);
  }
}

/** All else that the README says is asked, not made. */
function numbersOf([totals, channels, germans, links, proof]: Record<string, never>[]): ReadmeNumbers {
  return {
    totals: totals!['totals']!,
    channels: { named: channels!['values']!['data'], others: channels!['other']!['values'] },
    germans: germans!['totals']!,
    links: { first: links!['links']!['data'][0], others: links!['other']!['values'] },
    checksum: BigInt(proof!['rows']!['checksum']),
  };
}

function visitsOf({ totals, channels, germans, links, checksum }: ReadmeNumbers, linkIds: string[]): EnrichedVisit[] {
  // Of today, whenever that began.
  const atMs = Math.max(Date.now() - 1_000, Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const { human, bot } = totals.byClass;
  const channelOf = spread(channels.named, ['search', 'mail', 'paid'].slice(0, channels.others));
  const linkOf = spread([{ value: linkIds[0]!, visits: links.first.visits }], linkIds.slice(1));
  let left = checksum;
  return Array.from({ length: totals.visits }, (_, n) => {
    const isGerman = n < germans.visits;
    const bits = n === totals.visits - 1 ? left : BigInt(n + 1);
    left ^= bits;
    const strangers = totals.visitors - germans.visitors;
    return enrichedVisit({
      eventId: eventIdOf(atMs, bits),
      linkId: linkOf(n),
      class: n < human ? 'human' : n < human + bot ? 'bot' : 'preview',
      channel: channelOf(n) as EnrichedVisit['channel'],
      country: isGerman ? 'DE' : 'FR',
      visitor: String(1 + (isGerman ? n % germans.visitors : germans.visitors + (n % strangers))),
      ip: String(1 + (n % totals.ips)),
    });
  });
}

/** So many of each that is named, the rest evenly of the others. */
function spread(named: readonly { value: string; visits: number }[], others: readonly string[]) {
  const all = named.flatMap(({ value, visits }) => new Array<string>(visits).fill(value));
  return (n: number): string => all[n] ?? others[n % others.length]!;
}

/** A UUIDv7 of that time with these 62 random bits. */
function eventIdOf(atMs: number, bits: bigint): string {
  const hex = ((BigInt(atMs) << 80n) | (7n << 76n) | (2n << 62n) | bits).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

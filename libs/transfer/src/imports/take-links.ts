import { compareTexts, type Created, type LinkStore } from '@hopcount/links';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError } from '@hopcount/runtime';

import type { SourceLink } from '../sources/source-link.js';
import type { ChunkReport, Place } from './chunk-report.js';
import { groupByPlace, meantLink } from './find-keys.js';
import type { ImportRow } from './import-store.js';

const FIND_IMPORTED = loadSql(import.meta.url, 'sql/find-imported.sql');
const FIND_PLACED = loadSql(import.meta.url, 'sql/find-placed.sql');
const KEEP_IMPORTED = loadSql(import.meta.url, 'sql/keep-imported.sql');
const BEGIN_LIMITS = loadSql(import.meta.url, 'sql/begin-limits.sql');

export type Read = Pick<SourceLink, 'key' | 'formerKey' | 'place' | 'link' | 'visits'> & Place;

/** A row whose link is here already. */
interface Here {
  one: Read;
  linkId: string;
}

export interface SortedLinks {
  /** To be created. Of equal codes the first gets it; the others are compared with it. */
  fresh: Read[];
  /** Without a code and to the same URL as an earlier one of the chunk, which is the same link. */
  again: { one: Read; first: Read }[];
  here: Here[];
}

interface Deps {
  database: Database;
  links: LinkStore;
}

interface Taking {
  tx: Transaction;
  given: ImportRow;
  report: ChunkReport;
}

/** What was imported before is here already, if it leads to the same URL. */
export async function withoutImported(
  { database, links }: Deps,
  given: ImportRow,
  read: readonly Read[],
  report: ChunkReport,
): Promise<SortedLinks> {
  const sorted: SortedLinks = { fresh: [], again: [], here: [] };
  const imported = await findImported(database, given, read);
  const parse = await targetParser(links);
  const generated = new Map<string, Read>();
  for (const one of read) {
    const found = imported.get(one.key);
    const first = one.link.customSlug === null ? generated.get(one.key) : undefined;
    if (found?.isDeleted === true)
      report.refuse(one, 'deleted-here', `"${one.key}" is in the recycle bin, or purged.`, 'shortCode');
    else if (found !== undefined) {
      const target = parse(one);
      if (isAppError(target)) report.refuseAs(one, target);
      else if (target === found.longUrl) sorted.here.push({ one, linkId: found.linkId });
      else refuseOther(report, one, found.longUrl);
    } else if (first !== undefined) sorted.again.push({ one, first });
    else {
      sorted.fresh.push(one);
      if (one.link.customSlug === null) generated.set(one.key, one);
    }
  }
  return sorted;
}

interface Imported {
  key: string;
  linkId: string;
  longUrl: string;
  isDeleted: boolean;
}

async function findImported(database: Database, { name }: ImportRow, read: readonly Read[]) {
  const keys = [...new Set(read.map(({ key }) => key))];
  const found = keys.length === 0 ? [] : await database.query<Imported>(FIND_IMPORTED, [name, keys]);
  return new Map(found.map((one) => [one.key, one]));
}

/** The target as links have it, or why none may have it. */
async function targetParser(links: LinkStore): Promise<(one: Read) => string | AppError> {
  const judge = await links.targetJudge();
  return ({ link }) => {
    try {
      return judge.parse(link.longUrl);
    } catch (error) {
      if (isAppError(error)) return error;
      throw error;
    }
  };
}

function refuseOther(report: ChunkReport, one: Read, longUrl: string): void {
  const code = one.link.customSlug ?? one.key;
  const detail = `"${code}" is here already and leads to ${longUrl}. Nothing was changed: edit that link, or give this one another code.`;
  report.refuse(one, 'other-target', detail, 'longUrl');
}

/** Keeps links under their keys: those that are new, and those that were here already with that code and target. */
export async function keepCreated(
  deps: Deps,
  { tx, given, report }: Taking,
  { fresh, again, here }: SortedLinks,
  created: readonly Created[],
): Promise<void> {
  const kept = new Map<string, string>();
  const limited: { linkId: string; visits: number }[] = [];
  const taken: { one: Read; error: AppError }[] = [];
  created.forEach((result, place) => {
    const one = fresh[place] as Read;
    if ('link' in result) {
      kept.set(one.key, result.link.id);
      report.settle(one, 'created');
      if ((one.link.maxVisits ?? null) === null) return;
      if (one.visits !== null) limited.push({ linkId: result.link.id, visits: one.visits });
      else
        report.note(one, 'limit-from-nothing', `"${one.key}" may be visited ${one.link.maxVisits} times`, 'maxVisits');
    } else if (result.error.code === 'non-unique-slug') taken.push({ one, error: result.error });
    else report.refuseAs(one, result.error);
  });
  await beginLimits(tx, limited);
  const placed = await sameAsTaken(deps, { tx, report }, taken);
  for (const { one, linkId } of placed) if (!kept.has(one.key)) kept.set(one.key, linkId);
  await tx.query(KEEP_IMPORTED, [given.name, [...kept.keys()], [...kept.values()]]);
  const repeated = again.flatMap(({ one, first }) => {
    const linkId = kept.get(first.key);
    if (linkId !== undefined) return [{ one, linkId }];
    const where = first.line === undefined ? `row ${first.row}` : `line ${first.line}`;
    report.refuse(one, 'same-as-refused', `It is the same link as ${where}, which was refused.`, 'longUrl');
    return [];
  });
  await settleHere({ tx, given, report }, [...here, ...placed, ...repeated]);
}

/** Whose code another link has: that link, if it leads to the same URL. */
async function sameAsTaken(
  { links }: Deps,
  { tx, report }: Omit<Taking, 'given'>,
  taken: readonly { one: Read; error: AppError }[],
): Promise<Here[]> {
  if (taken.length === 0) return [];
  const parse = await targetParser(links);
  // The code as it was asked for in the end.
  const wanted = taken.map(({ error: { details } }, place) => {
    return { place, authority: details['domain'] ?? null, code: details['customSlug'] };
  });
  const rows = await tx.query<{ place: number; linkId: string; code: string; longUrl: string }>(FIND_PLACED, [
    JSON.stringify(wanted),
    links.hasLooseCodes,
  ]);
  const found = groupByPlace(rows);
  return taken.flatMap(({ one, error }, place) => {
    const link = meantLink(String(wanted[place]?.code), found.get(place) ?? []);
    if (link !== undefined && parse(one) === link.longUrl) return [{ one, linkId: link.linkId }];
    report.refuseAs(one, error);
    return [];
  });
}

/** Links that are here stay as they are, or (with `update`) get the texts of their row; where they lead is never changed. */
async function settleHere({ tx, given, report }: Taking, here: readonly Here[]): Promise<void> {
  const said = here.map(({ one, linkId }) => ({ linkId, texts: one.link }));
  const differing = await compareTexts(tx, said, { change: given.changesLinks });
  here.forEach(({ one }, place) => {
    const found = differing[place] ?? [];
    if (found instanceof AppError) return report.refuseAs(one, found);
    const fields = found.join(', ');
    const isChanged = fields !== '' && given.changesLinks;
    report.settle(one, isChanged ? 'updated' : 'unchanged');
    if (fields !== '' && !isChanged)
      report.note(one, 'differs-here', `The link stays as it is; the row has another ${fields}.`, fields);
  });
}

/** What a link had of visits elsewhere is used up here. */
async function beginLimits(tx: Transaction, limited: readonly { linkId: string; visits: number }[]): Promise<void> {
  if (limited.length === 0) return;
  await tx.query(BEGIN_LIMITS, [limited.map(({ linkId }) => linkId), limited.map(({ visits }) => visits)]);
}

import { DomainEntity, GroupEntity, loadPreparedSql, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, type Reach } from '@hopcount/runtime';

import { CODE_ATTEMPTS, type LinkCodes } from '../codes/link-codes.js';
import { codeEntry, urlEntry } from '../filter/filter-entries.js';
import type { FilterState, LinkFilter } from '../filter/link-filter.js';
import { shareNames } from '../organise/names-lock.js';
import { findExisting, isWanted, lockSearches } from './existing-links.js';
import type { LinkRecord } from './link-record.js';
import { toColumns } from './link-settings.js';
import { tagColumns } from './link-tags.js';
import type { LinkDraft } from './new-link.js';
import { nonUniqueSlug } from './store-errors.js';

const CREATE_LINKS = loadPreparedSql(import.meta.url, 'sql/create-links.sql');
const LOCK_CODES = loadSql(import.meta.url, 'sql/lock-codes.sql');

/** What became of one of the links asked for; `announcement`: of a new one, its row in `link_outbox`. */
export type Created =
  { link: LinkRecord; isNew: false } | { link: LinkRecord; isNew: true; announcement: string } | { error: AppError };

/** What they are created with. */
interface Means {
  /** Whose they are, and which existing ones may be taken. */
  reach: Reach;
  codes: LinkCodes;
  filter: Pick<LinkFilter, 'addLinks' | 'expectAdded' | 'lacks'>;
  /** Those without a title get that of the page they lead to, from the worker. */
  resolvesTitles: boolean;
  /** Webhooks hear nothing of them. */
  isQuiet: boolean;
}

interface Waiting {
  draft: LinkDraft;
  collisions: number;
}

/**
 * Creates all of them in the caller's transaction, round by round: existing links are taken, the others inserted in one
 * statement; whose generated code was taken draws again. As if they were created one after the other: the first to name
 * a code gets it, and who may take an existing link waits for those before it that lead to the same URL.
 * @throws AppError `worker-lease-lost` (retryable); database errors pass through
 */
export async function createLinks(
  tx: Transaction,
  means: Means,
  given: readonly (LinkDraft | AppError)[],
): Promise<Created[]> {
  const results: Created[] = [];
  const waiting = new Map<number, Waiting>();
  given.forEach((draft, place) => {
    if (draft instanceof AppError) results[place] = { error: draft };
    else waiting.set(place, { draft, collisions: 0 });
  });
  if (!means.reach.isWhole) await refuseNewDomains(tx, waiting, results);
  const drafts = [...waiting.values()].map(({ draft }) => draft);
  await lockSearches(tx, drafts);
  if (drafts.some(({ fields: { groupId } }) => groupId !== null)) await shareNames(tx);
  await fileDomainsAndGroups(tx, drafts);
  while (waiting.size > 0) {
    for (const [place, result] of await runRound(tx, means, waiting)) {
      results[place] = result;
      waiting.delete(place);
    }
  }
  return results;
}

async function runRound(
  tx: Transaction,
  means: Means,
  waiting: ReadonlyMap<number, Waiting>,
): Promise<[number, Created][]> {
  const settled: [number, Created][] = [];
  const drafts = new Map([...waiting].map(([place, { draft }]) => [place, draft]));
  for (const [place, link] of await findExisting(tx, drafts, means)) {
    settled.push([place, { link, isNew: false }]);
    drafts.delete(place);
  }
  const inserted = await insert(tx, means, waiting, withoutFollowers(drafts));
  for (const { place, draft, link, announcement } of inserted) {
    if (link !== undefined) settled.push([place, { link, isNew: true, announcement }]);
    else {
      const error = refusalOf(draft, waiting.get(place) as Waiting);
      if (error !== undefined) settled.push([place, { error }]);
    }
  }
  return settled;
}

/** Without those that will find, in the next round, a link which is inserted in this one. */
function withoutFollowers(drafts: ReadonlyMap<number, LinkDraft>): [number, LinkDraft][] {
  const byHash = new Map<string, LinkDraft[]>();
  return [...drafts].filter(([, draft]) => {
    const before = byHash.get(draft.urlHash) ?? [];
    if (draft.existing !== null && before.some((earlier) => isWanted(earlier, draft.existing))) return false;
    byHash.set(draft.urlHash, [...before, draft]);
    return true;
  });
}

/** A link whose code was taken waits on, unless it cannot have another one. */
function refusalOf(draft: LinkDraft, waiting: Waiting): AppError | undefined {
  // Deleted links keep their code, so a look would not see every reason; a custom slug is simply taken.
  if (draft.wantedCode.custom !== null) return nonUniqueSlug(draft.wantedCode.custom, draft);
  waiting.collisions += 1;
  if (waiting.collisions < CODE_ATTEMPTS) return undefined;
  return new AppError('codes-exhausted', `${CODE_ATTEMPTS} generated codes were all taken.`);
}

interface CreatedRow extends FilterState {
  id: string;
  created_at: Date;
  version: string;
  announcement: string;
}

async function insert(
  tx: Transaction,
  { reach, codes, filter, resolvesTitles, isQuiet }: Means,
  waiting: ReadonlyMap<number, Waiting>,
  drafts: readonly [number, LinkDraft][],
) {
  if (drafts.length === 0) return [];
  const drawn = drafts.map(([place, draft]) => {
    return { place, draft, ...codes.draw(draft.wantedCode, waiting.get(place)?.collisions ?? 0) };
  });
  const wanted = codes.areLoose ? await firstOfEachCode(tx, codes, drawn) : drawn;
  const added = await filter.addLinks(
    tx,
    wanted.flatMap(({ code, draft }) => [codeEntry(code), urlEntry(draft.urlHash)]),
  );
  const rows = wanted.map(({ id, code, draft: { authority, urlHash, passwordHash, fields } }) =>
    toColumns({ id, authority, code, urlHash, passwordHash, authorKeyId: reach.keyId, ...fields }),
  );
  const tagged = tagColumns(wanted.map(({ id, draft: { tags } }) => ({ id, tags })));
  const values = [`[${rows.join()}]`, codes.areLoose, added.held.join(), ...tagged, resolvesTitles, isQuiet];
  const created = await tx.query<CreatedRow>(CREATE_LINKS, values);
  if (created[0] !== undefined) filter.expectAdded(added, created[0]);
  const byId = new Map(created.map((row) => [row.id, row]));
  return drawn.map(({ place, draft, id, code }) => {
    const row = byId.get(id);
    const link = row && recordOf(draft, { code, authorKeyId: reach.keyId }, row);
    return { place, draft, link, announcement: row?.announcement ?? '' };
  });
}

function recordOf(
  { authority, isDefaultDomain, tags, fields, passwordHash }: LinkDraft,
  given: Pick<LinkRecord, 'code' | 'authorKeyId'>,
  { id, created_at: createdAt, version }: CreatedRow,
): LinkRecord {
  return {
    ...{ ...given, id, domain: authority, isDefaultDomain, tags, ...fields },
    ...{ hasRedirectRules: fields.redirectRules !== undefined, hasPassword: passwordHash !== undefined },
    ...{ createdAt, version },
  };
}

/** Those that no one before them is like; nobody else inserts codes like them until the transaction ends. */
async function firstOfEachCode<Drawn extends { code: string; draft: LinkDraft }>(
  tx: Transaction,
  codes: LinkCodes,
  drawn: readonly Drawn[],
): Promise<Drawn[]> {
  await tx.query(LOCK_CODES, [drawn.map(({ code }) => code)]);
  const byCode = new Map<string, Drawn>();
  for (const one of drawn) {
    const key = `${one.draft.authority}/${codes.identityOf(one.code)}`;
    if (!byCode.has(key)) byCode.set(key, one);
  }
  return [...byCode.values()];
}

/**
 * A first link makes a host a domain of its own: from then on the default domain's links do not answer there, and no link may lead
 * to it. That is not for a key that reaches some links only.
 */
async function refuseNewDomains(tx: Transaction, waiting: Map<number, Waiting>, results: Created[]): Promise<void> {
  const drafts = [...waiting].filter(([, { draft }]) => !draft.isDefaultDomain);
  if (drafts.length === 0) return;
  const rows = await tx.query<{ authority: string }>(
    'SELECT authority FROM domains WHERE authority = ANY ($1::text[])',
    [drafts.map(([, { draft }]) => draft.authority)],
  );
  const known = new Set(rows.map(({ authority }) => authority));
  for (const [place, { draft }] of drafts) {
    if (known.has(draft.authority)) continue;
    const message = `There is no domain "${draft.authority}" yet, and this API key may not begin one.`;
    results[place] = { error: new AppError('beyond-role', message) };
    waiting.delete(place);
  }
}

/** In one order, so that two transactions cannot wait for each other. */
async function fileDomainsAndGroups(tx: Transaction, drafts: readonly LinkDraft[]): Promise<void> {
  const insertNew = () => tx.manager.createQueryBuilder().insert().orIgnore();
  const domains = sorted(drafts.filter(({ isDefaultDomain }) => !isDefaultDomain).map(({ authority }) => authority));
  if (domains.length > 0) {
    const rows = domains.map((authority) => ({ authority }));
    await insertNew().into(DomainEntity).values(rows).execute();
  }
  const groups = sorted(drafts.flatMap(({ fields: { groupId } }) => groupId ?? []));
  if (groups.length > 0) {
    const rows = groups.map((id) => ({ id, name: id }));
    await insertNew().into(GroupEntity).values(rows).execute();
  }
}

/** Whether the group that it names came with this transaction: then it stays, even if the link is refused. */
export async function hasMadeGroup(tx: Transaction, draft: LinkDraft | AppError): Promise<boolean> {
  if (draft instanceof AppError || draft.fields.groupId === null) return false;
  const made = 'SELECT id FROM groups WHERE id = $1 AND xmin = pg_current_xact_id()::xid';
  return (await tx.query(made, [draft.fields.groupId])).length > 0;
}

const sorted = (names: string[]) => [...new Set(names)].sort();

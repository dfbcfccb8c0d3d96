import { isDeepStrictEqual } from 'node:util';

import { type Database, GroupEntity, loadSql, type Transaction } from '@hopcount/postgres';
import type { LinkLocks } from '@hopcount/redis';
import { AppError, type Reach } from '@hopcount/runtime';

import { urlEntry } from '../filter/filter-entries.js';
import { prepareLimit } from '../limits/prepare-limit.js';
import { reachesGroup } from '../organise/group-reach.js';
import { shareNames } from '../organise/names-lock.js';
import { groupNames } from '../organise/stored-groups.js';
import { changeLinks } from '../outbox/change-links.js';
import type { LinkOutbox } from '../outbox/link-outbox.js';
import { readRoutes } from '../rules/read-routes.js';
import type { RedirectRule, SplitTarget } from '../rules/redirect-rules.js';
import { urlHash } from '../targets/normal-url.js';
import { cancelTitleRequest, requestTitles } from '../titles/title-requests.js';
import { queueLinkEvents } from '../webhooks/webhook-queue.js';
import { normalizeNote, normalizeTags, normalizeTitle } from './link-fields.js';
import type { LinkRecord } from './link-record.js';
import { type RedirectStatus, refuseKeptLimit, type SomeSettings, settingsOf, toColumns } from './link-settings.js';
import type { LinkStore } from './link-store.js';
import { replaceTags } from './link-tags.js';

const EDIT_LINK = loadSql(import.meta.url, 'sql/edit-link.sql');
const DELETE_LINK = loadSql(import.meta.url, 'sql/delete-link.sql');

/** What is absent (or undefined) stays as it is; null clears. */
export interface LinkEdit extends SomeSettings {
  longUrl?: string | undefined;
  title?: string | null | undefined;
  note?: string | null | undefined;
  tags?: readonly string[] | undefined;
  groupId?: string | null | undefined;
  redirectRules?: readonly RedirectRule[] | null | undefined;
  split?: readonly SplitTarget[] | null | undefined;
  /** That visitors are asked for. */
  password?: string | null | undefined;
}

type TargetsOfEdit = Pick<LinkEdit, 'longUrl' | 'expiredUrl' | 'redirectRules' | 'split'>;

export interface NamedLink {
  code: string;
  /** null: the default domain. */
  domain: string | null;
  /** The version the caller looked at; any other is refused. undefined: whatever is there. */
  version?: string | undefined;
}

/**
 * Changes and deletes links. A link's id never changes and its group is one column, so moving it copies
 * nothing: a visit committed before keeps the old group, one committed after has the new one, and no count
 * is touched. The row's version fences editors in PostgreSQL; the write lock of a move only lets the
 * batches of that link finish first. Everything that can be slow (judging the target) comes before it.
 */
export class LinkEditor {
  constructor(
    private readonly database: Database,
    private readonly links: LinkStore,
    private readonly outbox: Pick<LinkOutbox, 'announce'>,
    private readonly locks: Pick<LinkLocks, 'aroundWrite'>,
  ) {}

  /**
   * @throws AppError `short-url-not-found`, `version-conflict`, `invalid-data` (also for a group that does
   * not exist), `unsafe-target`, `limit-not-set` (retryable), `passwords-busy` (retryable), `beyond-role`; database errors pass through
   */
  async edit(reach: Reach, named: NamedLink, given: LinkEdit): Promise<LinkRecord> {
    const link = await this.links.get(reach, named.code, named.domain);
    const edit = await this.#changesOf(link, given);
    if (edit === undefined) {
      if (named.version !== undefined && named.version !== link.version) throw versionConflict(link, link.version);
      return link;
    }
    const targets = await this.#targetsOf(edit);
    const { longUrl } = targets;
    const groupOf = await groupNames(this.database, [edit.groupId ?? null]);
    const wanted = {
      ...settingsOf(edit),
      ...targets,
      urlHash: longUrl === undefined ? undefined : urlHash(longUrl),
      title: edit.title === undefined ? undefined : normalizeTitle(edit.title),
      note: edit.note === undefined ? undefined : normalizeNote(edit.note),
      tags: edit.tags === undefined ? undefined : normalizeTags(edit.tags),
      groupId: edit.groupId === undefined ? undefined : groupOf(edit.groupId),
    };
    if (wanted.groupId === null && reach.groups !== null) reach.expectWhole('take links out of their groups');
    const passwordHash = edit.password == null ? edit.password : await this.links.passwords.hash(edit.password);
    if (wanted.maxVisits != null && link.maxVisits === null) await prepareLimit(this.database, link.id);
    const write = () =>
      this.#write(reach, named, link, async (tx) => {
        if (wanted.urlHash !== undefined) await this.links.filter.addUrls(tx, [urlEntry(wanted.urlHash)]);
        const isEdited = await editRow(
          tx,
          { reach, linkId: link.id, version: named.version },
          { ...wanted, passwordHash },
        );
        if (!isEdited) return false;
        await this.#followTitle(tx, link.id, wanted);
        await queueLinkEvents(tx, 'link.edited', [link.id]);
        return true;
      });
    const isMove = wanted.groupId !== undefined && wanted.groupId !== link.groupId;
    await (isMove ? this.locks.aroundWrite([link.id], write) : write());
    return this.links.get(reach, named.code, named.domain);
  }

  /** Visitors get 404 from then on; its visits stay counted and its code stays taken. @throws as edit() */
  async delete(reach: Reach, named: NamedLink): Promise<void> {
    const link = await this.links.get(reach, named.code, named.domain);
    await this.#write(reach, named, link, async (tx) => {
      const rows = await tx.query(DELETE_LINK, [link.id, named.version ?? null, ...reach.values]);
      return rows.length > 0;
    });
  }

  /** What its owner says is its title; a new target without a word about it has a title of its own. */
  async #followTitle(tx: Transaction, linkId: string, { title, longUrl }: LinkEdit): Promise<void> {
    if (title !== undefined) await cancelTitleRequest(tx, linkId);
    else if (longUrl !== undefined && this.links.resolvesTitles) await requestTitles(tx, [linkId]);
  }

  /**
   * What differs from the link; undefined: nothing. Clients send back what they were answered: a target that was blocked
   * meanwhile is not judged again for that, no version is raised and nobody is told. What another edit changes after this
   * look stays as that one wrote it, as if it had come second.
   */
  async #changesOf(link: LinkRecord, given: LinkEdit): Promise<LinkEdit | undefined> {
    const hasRoutes = given.redirectRules !== undefined || given.split !== undefined;
    const routes = hasRoutes ? await readRoutes(this.database, link.id) : undefined;
    const current: Readonly<Record<string, unknown>> = { ...link, ...routes };
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    const changed = entries.filter(
      ([name, value]) => !isDeepStrictEqual(asAnswered(name, value), asAnswered(name, current[name])),
    );
    // An edit of nothing but the title means what it says: no title is to be looked for. In a whole answer, sent back, it does not.
    const isTitleAlone = entries.length === 1 && given.title !== undefined;
    if (changed.length === 0 && !isTitleAlone) return undefined;
    // An edit that changes a link and names its title says that no other title is to be looked for.
    return { ...(given.title !== undefined && { title: given.title }), ...Object.fromEntries(changed) };
  }

  /** Those that are given, as they are stored. */
  async #targetsOf({ longUrl, expiredUrl, redirectRules, split }: LinkEdit): Promise<TargetsOfEdit> {
    if (longUrl === undefined && expiredUrl == null && redirectRules == null && split == null)
      return { longUrl, redirectRules, split };
    const judge = await this.links.targetJudge();
    const parsed = <Item extends { longUrl: string }>(items: readonly Item[] | null | undefined, field: string) =>
      items?.map((item) => ({ ...item, longUrl: judge.parse(item.longUrl, field) })) ?? items;
    return {
      longUrl: longUrl === undefined ? undefined : judge.parse(longUrl),
      ...(typeof expiredUrl === 'string' && { expiredUrl: judge.parse(expiredUrl, 'expiredUrl') }),
      redirectRules: parsed(redirectRules, 'redirectRules'),
      split: parsed(split, 'split'),
    };
  }

  async #write(
    reach: Reach,
    named: NamedLink,
    link: LinkRecord,
    work: (tx: Transaction) => Promise<boolean>,
  ): Promise<void> {
    const changes = { database: this.database, outbox: this.outbox };
    if (await changeLinks(changes, work, (isChanged) => isChanged)) return;
    // Gone or out of reach meanwhile (get() says so), or no longer the version the caller knows.
    const { version } = await this.links.get(reach, named.code, named.domain);
    throw versionConflict(link, version);
  }
}

function versionConflict({ code }: LinkRecord, version: string): AppError {
  return new AppError('version-conflict', `The short URL "${code}" was changed by somebody else meanwhile.`, {
    details: { shortCode: code, version },
  });
}

/** Null and the default are one where answers show them alike. */
function asAnswered(field: string, value: unknown): unknown {
  if (field === 'redirectStatus') return value ?? 302;
  return field === 'redirectRules' || field === 'split' ? (value ?? []) : value;
}

async function editRow(
  tx: Transaction,
  { reach, linkId, version }: { reach: Reach; linkId: string; version: string | undefined },
  {
    tags,
    ...fields
  }: Omit<LinkEdit, 'password'> & { urlHash: string | undefined; passwordHash: string | null | undefined },
): Promise<boolean> {
  const { groupId } = fields;
  if (typeof groupId === 'string') await shareNames(tx);
  if (typeof groupId === 'string' && !(await groupStays(tx, reach, groupId))) {
    throw new AppError('invalid-data', `There is no group "${groupId}".`, {
      details: { invalidElements: ['groupId'] },
    });
  }
  const rows = await tx.query(EDIT_LINK, [linkId, version ?? null, toColumns(fields), ...reach.values]);
  if (rows.length > 0 && tags !== undefined) await replaceTags(tx, linkId, tags);
  const { maxVisits, redirectStatus } = fields;
  if (maxVisits != null || redirectStatus != null) await refuseKeptRedirects(tx, linkId);
  return rows.length > 0;
}

/** The field that was not edited may be in the way. */
async function refuseKeptRedirects(tx: Transaction, linkId: string): Promise<void> {
  const [row] = await tx.query<{ maxVisits: number | null; redirectStatus: RedirectStatus | null }>(
    'SELECT max_visits AS "maxVisits", redirect_status AS "redirectStatus" FROM links WHERE id = $1',
    [linkId],
  );
  if (row !== undefined) refuseKeptLimit(row);
}

/** Whether the group exists and is reached; if so, it exists until the end of the transaction. */
async function groupStays(tx: Transaction, reach: Reach, id: string): Promise<boolean> {
  if (!(await reachesGroup(tx, reach, id))) return false;
  return (await tx.manager.findOne(GroupEntity, { where: { id }, lock: { mode: 'for_key_share' } })) !== null;
}

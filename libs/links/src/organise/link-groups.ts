import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import type { LinkLocks } from '@hopcount/redis';
import { AppError, failpoint, type Reach } from '@hopcount/runtime';

import { changeLinks } from '../outbox/change-links.js';
import type { LinkOutbox } from '../outbox/link-outbox.js';
import { normalizeGroupId } from '../store/link-fields.js';
import { spellCode } from '../store/names.js';
import type { NamedLink } from '../store/link-editor.js';
import type { LinkStore } from '../store/link-store.js';
import { reachesGroup } from './group-reach.js';
import {
  groupConflict,
  groupHasRoles,
  groupName,
  groupNotEmpty,
  groupNotFound,
  moveUnfinished,
} from './group-errors.js';
import { changeNames, ownNames, shareNames } from './names-lock.js';
import { storedGroup, storedGroups } from './stored-groups.js';

const LIST_GROUPS = loadSql(import.meta.url, 'sql/list-groups.sql');
const COUNT_LINKS = loadSql(import.meta.url, 'sql/count-group-links.sql');
const MOVE_LINKS = loadSql(import.meta.url, 'sql/move-links.sql');
const FIND_LINKS = loadSql(import.meta.url, 'sql/find-links.sql');
const COUNT_GROUPS = `SELECT count(*) AS number FROM groups
  WHERE ($1::integer IS NULL AND $2::integer IS NULL AND $3::text[] IS NULL) OR id = ANY ($3)
    OR EXISTS (SELECT FROM links WHERE group_id = groups.id AND within_reach(author_key_id, domain_id, group_id, $1, $2, $3))`;
const ORDER_GROUPS = loadSql(import.meta.url, 'sql/order-groups.sql');
const INSERT_GROUP = 'INSERT INTO groups (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id';
const RENAME_GROUP = 'UPDATE groups SET name = $2 WHERE id = $1';
/** Who gives somebody a role in it is waited for, so that the next statement sees it. */
const HOLD_GROUP = 'SELECT FROM groups WHERE id = $1 FOR UPDATE';
const COUNT_ROLES = 'SELECT count(*)::integer AS users FROM group_roles WHERE group_id = $1';
/** $2: roles in it may go. */
const DELETE_EMPTY = `DELETE FROM groups WHERE id = $1 AND NOT EXISTS (SELECT FROM links WHERE group_id = $1)
  AND ($2 OR NOT EXISTS (SELECT FROM group_roles WHERE group_id = $1))`;
/** After a move of $1 to $2: one that was not moved since it is deleted or beyond the reach ($3 to $5). */
const LEFT_BEHIND = `SELECT id FROM links WHERE id = ANY ($1::bigint[]) AND group_id IS DISTINCT FROM $2
  AND (deleted_at IS NOT NULL OR NOT within_reach(author_key_id, domain_id, group_id, $3, $4, $5)) LIMIT 1`;
const SOME_LINKS = 'SELECT id FROM links WHERE group_id = $1 ORDER BY id LIMIT $2';

/** Their batches of visits wait for one write lock. */
const LINKS_PER_MOVE = 200;
const BUDGET_MS = 20_000;

type Asked = Pick<NamedLink, 'code' | 'domain'>;

export interface GroupRecord {
  id: string;
  name: string;
  links: number;
  /** In the recycle bin. */
  deletedLinks: number;
}

interface GroupDeletion {
  /** The group that gets its links; null: it must have none. */
  into: string | null;
  /** Whether roles in it may go with it. */
  administers: boolean;
}

export interface LinkGroupsSettings {
  linksPerMove?: number;
  /** A deletion that takes longer is left to another request. */
  budgetMs?: number;
}

/**
 * Groups of links. A visit keeps the group that its link had when it was committed, also when that group is no more; a
 * group of the same id has these visits again. Links are moved under their write lock, like a single one (LinkEditor).
 */
export class LinkGroups {
  readonly #settings: Required<LinkGroupsSettings>;

  constructor(
    private readonly database: Database,
    private readonly links: LinkStore,
    private readonly outbox: Pick<LinkOutbox, 'announce'>,
    private readonly locks: Pick<LinkLocks, 'aroundWrite'>,
    settings: LinkGroupsSettings = {},
  ) {
    this.#settings = { linksPerMove: LINKS_PER_MOVE, budgetMs: BUDGET_MS, ...settings };
  }

  /** Those that were given an order first; with the links that are reached. */
  async list(
    reach: Reach,
    page: { offset: number; limit: number },
  ): Promise<{ groups: GroupRecord[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: string }>(COUNT_GROUPS, reach.values);
        const groups = await tx.query<GroupRecord>(LIST_GROUPS, [page.limit, page.offset, ...reach.values]);
        return { groups, totalItems: Number(count?.number) };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** @param name null: its id. @throws AppError `invalid-data`, `group-conflict` */
  async create(reach: Reach, given: string, name: string | null): Promise<GroupRecord> {
    reach.expectWhole('create groups');
    const wanted = normalizeGroupId(given);
    if (wanted === null) {
      throw new AppError('invalid-data', 'A group has an id.', { details: { invalidElements: ['groupId'] } });
    }
    const id = await storedGroup(this.database, wanted);
    const values = [id, groupName(name ?? id)];
    const created = await this.database.transaction((tx) => tx.query(INSERT_GROUP, values));
    if (created.length === 0) throw groupConflict(id);
    return this.get(id);
  }

  /** @throws AppError `group-not-found` */
  async get(given: string): Promise<GroupRecord> {
    const id = await storedGroup(this.database, given);
    const [group] = id.includes('\u0000') ? [] : await this.database.query<GroupRecord>(COUNT_LINKS, [id]);
    if (group === undefined) throw groupNotFound(id);
    return group;
  }

  /** @throws AppError `invalid-data`, `group-not-found` */
  async rename(reach: Reach, given: string, name: string): Promise<GroupRecord> {
    reach.expectWhole('rename groups');
    const id = await storedGroup(this.database, given);
    const wanted = groupName(name);
    if (!id.includes('\u0000')) await this.database.transaction((tx) => tx.query(RENAME_GROUP, [id, wanted]));
    return this.get(id);
  }

  /** These first, in this order, then all others as they were. @throws AppError `group-not-found` */
  async order(reach: Reach, ids: readonly string[]): Promise<void> {
    reach.expectWhole('order groups');
    const wanted = [...new Set(await storedGroups(this.database, ids))];
    await changeNames(this.database, async (tx) => {
      await mustExist(tx, wanted);
      await tx.query(ORDER_GROUPS, [wanted]);
    });
  }

  /**
   * @param named links that exist; all of them are found before the first is moved. One that leaves the reach meanwhile
   * stays where it is, with those of its step (200)
   * @param to null: out of their groups
   * @returns how many were in another group
   * @throws AppError `short-url-not-found`, `group-not-found`, `beyond-role`
   */
  async move(reach: Reach, named: readonly Asked[], to: string | null): Promise<number> {
    const groupId = to === null ? null : await storedGroup(this.database, to);
    if (groupId === null && reach.groups !== null) reach.expectWhole('take links out of their groups');
    if (groupId !== null) {
      await mustExist(this.database, [groupId]);
      if (!(await reachesGroup(this.database, reach, groupId))) throw groupNotFound(groupId);
    }
    const found = await this.#find(reach, named);
    const ids = [...found.keys()];
    let moved = 0;
    for (let from = 0; from < ids.length; from += this.#settings.linksPerMove) {
      const some = ids.slice(from, from + this.#settings.linksPerMove);
      moved += await this.#moveSome(reach, some, { from: null, to: groupId }, (id) => {
        const { code, domain } = found.get(id) as Asked;
        throw this.links.notFound(code, domain);
      });
    }
    return moved;
  }

  /**
   * Deletes a group without links, deleted ones included; with `into` its links are moved there first. That may take
   * several requests: each goes on where the last one ended, also by a crash. Roles in the group go with it.
   * @throws AppError `group-not-found`, `group-not-empty`, `invalid-data`, `group-move-unfinished`; `group-has-roles`
   * unless who asks administers
   */
  async delete(reach: Reach, given: string, { into: moveTo, administers }: GroupDeletion): Promise<void> {
    reach.expectWhole('delete groups');
    const id = await storedGroup(this.database, given);
    const into = moveTo === null ? null : await storedGroup(this.database, moveTo);
    if (into === null) {
      while (!(await this.#deleteEmpty(id, administers))) {
        const group = await this.get(id);
        if (group.links + group.deletedLinks > 0) throw groupNotEmpty(group);
        if (!administers) await this.#expectNoRoles(id);
      }
      return;
    }
    if (into === id) {
      const details = { invalidElements: ['moveTo'] };
      throw new AppError('invalid-data', 'The links of a group that goes need another one.', { details });
    }
    await mustExist(this.database, [id, into]);
    const deadlineMs = performance.now() + this.#settings.budgetMs;
    for (;;) {
      if (!administers) await this.#expectNoRoles(id);
      const rows = await this.database.query<{ id: string }>(SOME_LINKS, [id, this.#settings.linksPerMove]);
      const links = rows.map((row) => row.id);
      if (links.length > 0) await this.#moveSome(reach, links, { from: id, to: into });
      failpoint('groups.after-move-step');
      // Links that are created in it meanwhile get another round.
      if (links.length < this.#settings.linksPerMove && (await this.#deleteEmpty(id, administers))) return;
      if (performance.now() > deadlineMs) throw moveUnfinished(await this.get(id));
    }
  }

  /** False when it has links, or roles that may not go, or is not there. */
  async #deleteEmpty(id: string, withRoles: boolean): Promise<boolean> {
    if (id.includes('\u0000')) return false;
    return changeNames(this.database, async (tx) => {
      await ownNames(tx);
      await tx.query(HOLD_GROUP, [id]);
      return (await tx.execute(DELETE_EMPTY, [id, withRoles])).affected > 0;
    });
  }

  async #expectNoRoles(id: string): Promise<void> {
    const [row] = await this.database.query<{ users: number }>(COUNT_ROLES, [id]);
    if (row !== undefined && row.users > 0) throw groupHasRoles(id, row.users);
  }

  /**
   * @param from null: wherever they are, unless deleted
   * @param onLeft told of one that was deleted, or left the reach, since it was found: it throws, and none of these is moved
   * @throws AppError `group-not-found`
   */
  async #moveSome(
    reach: Reach,
    ids: readonly string[],
    { from, to }: { from: string | null; to: string | null },
    onLeft?: (id: string) => never,
  ): Promise<number> {
    const changes = { database: this.database, outbox: this.outbox };
    const write = () =>
      changeLinks(
        changes,
        async (tx) => {
          await shareNames(tx);
          if (to !== null) await mustExist(tx, [to]);
          const moved = await tx.query(MOVE_LINKS, [ids, from, to, ...reach.values]);
          if (onLeft !== undefined) {
            const [left] = await tx.query<{ id: string }>(LEFT_BEHIND, [ids, to, ...reach.values]);
            if (left !== undefined) onLeft(left.id);
          }
          return moved.length;
        },
        (moved) => moved > 0,
      );
    return this.locks.aroundWrite(ids, write);
  }

  /** By id, each once. @throws AppError `short-url-not-found`, of the first that is not there */
  async #find(reach: Reach, named: readonly Asked[]): Promise<Map<string, Asked>> {
    const asked = named.map(({ code, domain }) => ({ code, domain: this.links.nonDefault(domain) }));
    const unreadable = asked.find(({ code, domain }) => `${code}${domain}`.includes('\u0000'));
    if (unreadable !== undefined) throw this.links.notFound(unreadable.code, unreadable.domain);
    const rows = await this.database.query<{ id: string | null }>(FIND_LINKS, [
      asked.map(({ domain }) => domain),
      asked.map(({ code }) => spellCode(code)),
      ...reach.values,
    ]);
    const found = new Map<string, Asked>();
    for (const [nth, { code, domain }] of asked.entries()) {
      const id = rows[nth]?.id ?? null;
      if (id === null) throw this.links.notFound(code, domain);
      found.set(id, { code, domain });
    }
    return found;
  }
}

/** Counts no links. @throws AppError `group-not-found`, of the first that is not there */
async function mustExist(database: Queryable, ids: readonly string[]): Promise<void> {
  const wanted = ids.filter((id) => !id.includes('\u0000'));
  const rows = await database.query<{ id: string }>('SELECT id FROM groups WHERE id = ANY ($1::text[])', [wanted]);
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw groupNotFound(missing);
}

import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint, type Reach } from '@hopcount/runtime';

import { normalizeTags } from '../store/link-fields.js';
import { changeNames, ownNames } from './names-lock.js';

const FIND_TAGS = 'SELECT id, name FROM tags WHERE name = ANY ($1::text[])';
const LOCK_LINKS = loadSql(import.meta.url, 'sql/lock-tagged-links.sql');
const MOVE_LINKS = loadSql(import.meta.url, 'sql/move-tagged-links.sql');
const HOLD_TAG = 'SELECT id FROM tags WHERE id = $1 FOR KEY SHARE';
const UNTAG_SOME = `DELETE FROM link_tags WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM link_tags WHERE tag_id = ANY ($1::integer[]) LIMIT $2))`;
const OWN_TAGS = 'SELECT FROM tags WHERE id = ANY ($1::integer[]) ORDER BY id FOR UPDATE';
/** All or none: of a merge that broke off, the same request finds all of its tags. */
const DELETE_UNUSED = `DELETE FROM tags WHERE id = ANY ($1::integer[])
  AND NOT EXISTS (SELECT FROM link_tags WHERE tag_id = ANY ($1::integer[]))`;

/** Links of one transaction: others who change them wait for its end. */
const LINKS_PER_TRANSACTION = 1_000;

interface Tag {
  id: number;
  name: string;
}

/**
 * Renames, merges and deletes tags while links are created with them. Links refer to a tag by its id, so a new name is
 * one row; many links are merged or untagged in steps, each of which leaves every link with a tag it may have: whoever
 * asks again after a crash goes on. The versions of links stay: what a gateway needs of them does not change.
 */
export class TagEditor {
  constructor(
    private readonly database: Database,
    private readonly linksPerTransaction = LINKS_PER_TRANSACTION,
  ) {}

  /** @throws AppError `invalid-data` (no name), `tag-not-found`, `tag-conflict`, `forbidden-tag-operation` */
  async rename(reach: Reach, oldName: string, newName: string): Promise<void> {
    expectAllLinks(reach);
    const from = tagName(oldName, 'oldName');
    const to = tagName(newName, 'newName');
    await changeNames(this.database, async (tx) => {
      await ownNames(tx);
      const tags = await tx.query<Tag>(FIND_TAGS, [[from, to]]);
      const tag = tags.find(({ name }) => name === from);
      if (tag === undefined) throw tagNotFound(oldName);
      if (from === to) return;
      if (tags.length > 1) {
        const message = `The tag "${from}" cannot get the name "${to}", which another tag has. Merge the two instead.`;
        throw new AppError('tag-conflict', message, { details: { oldName, newName } });
      }
      await tx.query('UPDATE tags SET name = $2 WHERE id = $1', [tag.id, to]);
    });
  }

  /**
   * Links with any of the tags get `into` instead, once each; the tags go. Those that are gone already are left out.
   * @throws AppError `invalid-data`, `tag-not-found` (`into`, or none of the tags is there), `forbidden-tag-operation`
   */
  async merge(reach: Reach, names: readonly string[], into: string): Promise<void> {
    expectAllLinks(reach);
    const [wanted, last] = [names.map((name) => tagName(name, 'tags')), tagName(into, 'into')];
    const found = await this.database.query<Tag>(FIND_TAGS, [[...wanted, last]]);
    const target = found.find(({ name }) => name === last);
    if (target === undefined) throw tagNotFound(into);
    if (!found.some(({ name }) => wanted.includes(name))) throw tagNotFound(names[0] ?? '');
    const ids = found.map(({ id }) => id).filter((id) => id !== target.id);
    await this.#inSteps(
      ids,
      // Links before their tags, like an edit: what it says of tags comes before this or after.
      (tx) => this.#mergeSome(tx, ids, target, LOCK_LINKS),
      // Here the names come first. A link that is being edited waits for them, so it is left for once more.
      (tx) => this.#mergeSome(tx, ids, target, `${LOCK_LINKS} SKIP LOCKED`),
    );
  }

  /** Names that no tag has are left out: what is asked for is so already. @throws AppError `invalid-data`, `forbidden-tag-operation` */
  async delete(reach: Reach, names: readonly string[]): Promise<void> {
    expectAllLinks(reach);
    const wanted = names.flatMap((name) => normalizeTags([name]));
    const ids = (await this.database.query<Tag>(FIND_TAGS, [wanted])).map(({ id }) => id);
    const untagSome = async (tx: Transaction) =>
      (await tx.execute(UNTAG_SOME, [ids, this.linksPerTransaction])).affected;
    await this.#inSteps(ids, untagSome, untagSome);
  }

  /**
   * Step after step takes links from the tags, until there are few; a last one, for which those who use names wait, takes
   * those and deletes the tags. Tags that are used all the same (many links at once) get another round. It holds the tags
   * before it looks: another merge may be giving them to links in a step of its own, which the deletion would not see.
   */
  async #inSteps(
    ids: readonly number[],
    step: (tx: Transaction) => Promise<number>,
    lastStep: (tx: Transaction) => Promise<number>,
  ): Promise<void> {
    for (let areThere = ids.length > 0; areThere;) {
      while ((await changeNames(this.database, step)) === this.linksPerTransaction) failpoint('tags.after-step');
      areThere = await changeNames(this.database, async (tx) => {
        await ownNames(tx);
        await tx.query(OWN_TAGS, [ids]);
        await lastStep(tx);
        await tx.query(DELETE_UNUSED, [ids]);
        return (await tx.query('SELECT FROM tags WHERE id = ANY ($1::integer[])', [ids])).length > 0;
      });
    }
  }

  /** @returns how many links it found */
  async #mergeSome(tx: Transaction, ids: readonly number[], target: Tag, lockLinks: string): Promise<number> {
    const links = await tx.query<{ id: string }>(lockLinks, [ids, this.linksPerTransaction]);
    if ((await tx.query(HOLD_TAG, [target.id])).length === 0) throw tagNotFound(target.name);
    await tx.query(MOVE_LINKS, [links.map(({ id }) => id), ids, target.id]);
    return links.length;
  }
}

/** As it is stored. @throws AppError `invalid-data` */
function tagName(given: string, field: string): string {
  const [name] = normalizeTags([given], field);
  if (name !== undefined) return name;
  throw new AppError('invalid-data', 'A tag has a name.', { details: { invalidElements: [field] } });
}

/** A tag is of all links that have it. */
function expectAllLinks(reach: Reach): void {
  if (reach.isWhole) return;
  throw new AppError('forbidden-tag-operation', 'Who reaches some links only may not change tags, which are of all.');
}

function tagNotFound(tag: string): AppError {
  return new AppError('tag-not-found', `There is no tag "${tag}".`, { details: { tag } });
}

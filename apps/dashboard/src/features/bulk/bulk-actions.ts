import { HopcountProblem } from '@hopcount/client';

import {
  deleteLink,
  editLink,
  type LinkEdit,
  type LinkKey,
  readLink,
  restoreLink,
  type ShortUrl,
} from '../links/links.js';
import type { Undo } from './run-bulk.js';

export interface BulkAction {
  name: 'tag' | 'untag' | 'move' | 'enable' | 'disable' | 'delete';
  change: (link: LinkKey) => Promise<Undo>;
}

const MAX_WAITS = 8;
const WAIT_MS = 2_000;

/** Many changes are soon too many for the limits of a user: it waits, and goes on. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof HopcountProblem && error.status === 429) || waits === MAX_WAITS) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}

/** As it is now, not as the table has it; what somebody else changes in between is not overwritten. */
async function edit(
  link: LinkKey,
  wanted: (now: ShortUrl) => LinkEdit | undefined,
  back: (before: ShortUrl, after: ShortUrl) => (now: ShortUrl) => LinkEdit | undefined,
): Promise<Undo> {
  const { link: before, etag } = await patiently(() => readLink(link));
  const body = wanted(before);
  if (body === undefined) return undefined;
  const after = await patiently(() => editLink(link, body, etag));
  return () => edit(link, back(before, after), () => () => undefined);
}

const without = (tags: readonly string[], gone: readonly string[]) => tags.filter((tag) => !gone.includes(tag));
const joined = (tags: readonly string[], more: readonly string[]) => [...tags, ...without(more, tags)];

/** Takes back the tags that came or went by it, and no others. */
function tagsBack(before: ShortUrl, after: ShortUrl) {
  const [came, gone] = [without(after.tags, before.tags), without(before.tags, after.tags)];
  return (now: ShortUrl) => ({ tags: joined(without(now.tags, came), gone) });
}

export function tagAction(tags: readonly string[]): BulkAction {
  return { name: 'tag', change: (link) => edit(link, (now) => ({ tags: joined(now.tags, tags) }), tagsBack) };
}

export function untagAction(tags: readonly string[]): BulkAction {
  const wanted = (now: ShortUrl) =>
    now.tags.some((tag) => tags.includes(tag)) ? { tags: without(now.tags, tags) } : undefined;
  return { name: 'untag', change: (link) => edit(link, wanted, tagsBack) };
}

export function moveAction(groupId: string | null): BulkAction {
  const wanted = (now: ShortUrl) => (now.groupId === groupId ? undefined : { groupId });
  return { name: 'move', change: (link) => edit(link, wanted, ({ groupId: before }) => () => ({ groupId: before })) };
}

export function disableAction(disabled: boolean): BulkAction {
  const wanted = (now: ShortUrl) => (now.disabled === disabled ? undefined : { disabled });
  const back = () => () => ({ disabled: !disabled });
  return { name: disabled ? 'disable' : 'enable', change: (link) => edit(link, wanted, back) };
}

export const deleteAction: BulkAction = {
  name: 'delete',
  change: async (link) => {
    await patiently(() => deleteLink(link));
    return () => patiently(() => restoreLink(link));
  },
};

import type { LinkEdit, ShortUrl } from '../links/links.js';

type LinkState = Pick<ShortUrl, 'tags' | 'groupId' | 'disabled'>;

/** What is asked of a link as it is now; undefined where there is nothing to change. */
export type Wanted = (now: LinkState) => LinkEdit | undefined;

export interface BulkEdit {
  wanted: Wanted;
  /** Takes back what came by it, and only where it is still so: what somebody else did since stays. */
  back: (before: LinkState, after: LinkState) => Wanted;
}

const without = (tags: readonly string[], gone: readonly string[]) => tags.filter((tag) => !gone.includes(tag));
const joined = (tags: readonly string[], more: readonly string[]) => [...tags, ...without(more, tags)];
const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && without(some, others).length === 0;

const toTags =
  (change: (tags: readonly string[]) => string[]): Wanted =>
  (now) => {
    const tags = change(now.tags);
    return isSame(tags, now.tags) ? undefined : { tags };
  };

function tagsBack(before: LinkState, after: LinkState): Wanted {
  const [came, gone] = [without(after.tags, before.tags), without(before.tags, after.tags)];
  return toTags((tags) => joined(without(tags, came), gone));
}

export function addTags(added: readonly string[]): BulkEdit {
  return { wanted: toTags((tags) => joined(tags, added)), back: tagsBack };
}

export function removeTags(removed: readonly string[]): BulkEdit {
  return { wanted: toTags((tags) => without(tags, removed)), back: tagsBack };
}

export function moveTo(groupId: string | null): BulkEdit {
  return {
    wanted: (now) => (now.groupId === groupId ? undefined : { groupId }),
    back: (before, after) => (now) => (now.groupId === after.groupId ? { groupId: before.groupId } : undefined),
  };
}

export function setDisabled(disabled: boolean): BulkEdit {
  return {
    wanted: (now) => (now.disabled === disabled ? undefined : { disabled }),
    back: (before, after) => (now) => (now.disabled === after.disabled ? { disabled: before.disabled } : undefined),
  };
}

import { HopcountProblem } from '@hopcount/client';

import { deleteLink, editLink, type LinkKey, readLink, restoreLink } from '../links/links.js';
import { addTags, type BulkEdit, moveTo, removeTags, setDisabled, type Wanted } from './bulk-edits.js';
import type { Outcome } from './run-bulk.js';

export interface BulkAction {
  name: 'tag' | 'untag' | 'move' | 'enable' | 'disable' | 'delete';
  change: (link: LinkKey) => Promise<Outcome>;
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
async function edit(link: LinkKey, wanted: Wanted, back?: BulkEdit['back']): Promise<Outcome> {
  const { link: before, etag } = await patiently(() => readLink(link));
  const body = wanted(before);
  if (body === undefined) return { isChanged: false };
  const after = await patiently(() => editLink(link, body, etag));
  return { isChanged: true, ...(back !== undefined && { undo: () => edit(link, back(before, after)) }) };
}

function editing(name: BulkAction['name'], { wanted, back }: BulkEdit): BulkAction {
  return { name, change: (link) => edit(link, wanted, back) };
}

export function tagAction(tags: readonly string[]): BulkAction {
  return editing('tag', addTags(tags));
}

export function untagAction(tags: readonly string[]): BulkAction {
  return editing('untag', removeTags(tags));
}

export function moveAction(groupId: string | null): BulkAction {
  return editing('move', moveTo(groupId));
}

export function disableAction(disabled: boolean): BulkAction {
  return editing(disabled ? 'disable' : 'enable', setDisabled(disabled));
}

const CHANGED = { isChanged: true };

export const deleteAction: BulkAction = {
  name: 'delete',
  change: async (link) => {
    await patiently(() => deleteLink(link));
    return { ...CHANGED, undo: () => patiently(() => restoreLink(link)).then(() => CHANGED) };
  },
};

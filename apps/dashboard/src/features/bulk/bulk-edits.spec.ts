import { describe, expect, it } from '@jest/globals';

import { addTags, type BulkEdit, moveTo, removeTags, setDisabled } from './bulk-edits.js';

const LINK = { tags: ['a', 'b'], groupId: null as string | null, disabled: false };
type State = typeof LINK;

/** What undo asks, where others changed the link to `now` after it was changed. */
function undone({ wanted, back }: BulkEdit, now: (after: State) => State) {
  const after = { ...LINK, ...wanted(LINK) } as State;
  return back(LINK, after)(now(after));
}

describe('a change of many links', () => {
  it.each([
    ['tags that it has', addTags(['b', 'a'])],
    ['tags that it has not', removeTags(['c'])],
    ['the group it is in', moveTo(null)],
    ['the state it has', setDisabled(false)],
  ])('asks nothing of a link for %s', (_, { wanted }) => expect(wanted(LINK)).toBeUndefined());

  it('asks for what is to be, and undo for what was', () => {
    const same = (after: State) => after;
    expect(addTags(['b', 'c']).wanted(LINK)).toEqual({ tags: ['a', 'b', 'c'] });
    expect(undone(addTags(['b', 'c']), same)).toEqual({ tags: ['a', 'b'] });
    expect(removeTags(['a', 'c']).wanted(LINK)).toEqual({ tags: ['b'] });
    expect(undone(removeTags(['a']), same)).toEqual({ tags: ['b', 'a'] });
    expect(moveTo('x').wanted(LINK)).toEqual({ groupId: 'x' });
    expect(undone(moveTo('x'), same)).toEqual({ groupId: null });
    expect(setDisabled(true).wanted(LINK)).toEqual({ disabled: true });
    expect(undone(setDisabled(true), same)).toEqual({ disabled: false });
  });

  it('leaves to others, when it is taken back, what they did since', () => {
    expect(undone(moveTo('x'), (after) => ({ ...after, groupId: 'y' }))).toBeUndefined();
    expect(undone(setDisabled(true), (after) => ({ ...after, disabled: false }))).toBeUndefined();
    expect(undone(addTags(['c']), (after) => ({ ...after, tags: ['a'] }))).toBeUndefined();
    expect(undone(addTags(['c']), (after) => ({ ...after, tags: ['c', 'd'] }))).toEqual({ tags: ['d'] });
    expect(undone(removeTags(['a']), (after) => ({ ...after, tags: ['b', 'd'] }))).toEqual({ tags: ['b', 'd', 'a'] });
  });
});

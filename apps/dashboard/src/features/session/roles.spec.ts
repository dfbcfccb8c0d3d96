import { expect, it } from '@jest/globals';

import { mayPurge, mayWrite, mayWriteEverything, mayWriteTo } from './roles.js';

it('lets members and owners change links: all of them, or those of their groups', () => {
  const of = (user: Parameters<typeof mayWrite>[0]) => [
    ...[mayWrite(user), mayWriteEverything(user)],
    ...[mayWriteTo(user, 'a'), mayWriteTo(user, 'b'), mayWriteTo(user, null)],
  ];
  expect(of({ role: 'member', groups: { a: 'viewer' } })).toEqual([true, true, true, true, true]);
  expect(of({ role: 'viewer', groups: {} })).toEqual([false, false, false, false, false]);
  expect(of({ role: 'viewer', groups: { b: 'member' } })).toEqual([true, false, false, true, false]);
  expect(of({ role: null, groups: { a: 'viewer', b: 'owner' } })).toEqual([true, false, false, true, false]);
});

it('lets owners purge what they own', () => {
  const user = { role: 'member', groups: { a: 'member', b: 'owner' } } as const;
  expect([mayPurge(user, 'a'), mayPurge(user, 'b'), mayPurge(user, null)]).toEqual([false, true, false]);
  expect(mayPurge({ role: 'owner', groups: {} }, null)).toBe(true);
});

import { describe, expect, it } from '@jest/globals';

import { Reach } from './reach.js';

const DOMAIN = { id: 3, authority: 's.test' };
const key = { keyId: 7, authoredOnly: false, domain: null, noOrphanVisits: false };

describe('the reach of a key', () => {
  const mine = { authorKeyId: 7, domain: 's.test', groupId: null };
  const others = { authorKeyId: 8, domain: 's.test', groupId: 'a' };
  const nobodys = { authorKeyId: null, domain: 'other.test', groupId: 'b' };

  it.each([
    ['all', key, [true, true, true], [null, null, null]],
    ['those it created', { ...key, authoredOnly: true }, [true, false, false], [7, null, null]],
    ['those of one domain', { ...key, domain: DOMAIN }, [true, true, false], [null, 3, null]],
    ['those it created there', { ...key, authoredOnly: true, domain: DOMAIN }, [true, false, false], [7, 3, null]],
  ] as const)('holds %s', (_, given, holds, values) => {
    const reach = Reach.of(given);
    expect([mine, others, nobodys].map((link) => reach.holds(link))).toEqual(holds);
    expect(reach.values).toEqual(values);
    expect(reach.keyId).toBe(7);
  });

  it('of groups holds their links, and no orphan visit; in SQL its names are text', () => {
    const reach = Reach.ofGroups(['b', "a'; --"]);
    expect([mine, others, nobodys].map((link) => reach.holds(link))).toEqual([false, false, true]);
    expect([reach.values, reach.literals]).toEqual([
      [null, null, ["a'; --", 'b']],
      `NULL, NULL, ARRAY['a''; --','b']::text[]`,
    ]);
    expect([reach.isWhole, reach.holdsGroup('b'), reach.holdsGroup(null), reach.holdsOrphan('s.test')]).toEqual([
      ...[false, true, false, false],
    ]);
    expect([reach.equals(Reach.ofGroups(["a'; --", 'b'])), reach.equals(Reach.ofGroups(['b']))]).toEqual([true, false]);
    expect(() => reach.expectWhole('rename tags')).toThrow(expect.objectContaining({ code: 'beyond-role' }));
  });

  it('holds orphan visits of its domain, or none', () => {
    expect(Reach.of({ ...key, authoredOnly: true }).holdsOrphan('other.test')).toBe(true);
    const onDomain = Reach.of({ ...key, domain: DOMAIN });
    expect([onDomain.holdsOrphan('s.test'), onDomain.holdsOrphan('other.test')]).toEqual([true, false]);
    expect(Reach.of({ ...key, noOrphanVisits: true }).holdsOrphan('s.test')).toBe(false);
  });

  it('has to be whole for what is shared, also by a key without orphan visits', () => {
    expect(() => Reach.of({ ...key, noOrphanVisits: true }).expectWhole('rename tags')).not.toThrow();
    expect(() => Reach.everything.expectWhole('rename tags')).not.toThrow();
    for (const part of [{ authoredOnly: true }, { domain: DOMAIN }]) {
      expect(() => Reach.of({ ...key, ...part }).expectWhole('rename tags')).toThrow(
        expect.objectContaining({ code: 'beyond-role' }),
      );
    }
  });
});

import { describe, expect, it } from '@jest/globals';

import { changesOf, EMPTY_FORM, type LinkForm, toNewLink } from './link-form.js';
import { linkState } from './link-state.js';
import { safeHref } from './safe-href.js';
import { momentsOf } from './timeline.js';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const meta = { validSince: null, validUntil: null, maxVisits: null };
const visitsSummary = { total: 7, nonBots: 7, bots: 0 };
const before: LinkForm = {
  ...{ longUrl: 'https://example.com/', title: 'One', tags: ['a'], validSince: '', validUntil: '2026-03-01T12:00' },
  ...{ maxVisits: 5, groupId: '', expiredUrl: '', note: '', disabled: false },
};

describe('the state of a link', () => {
  it.each([
    ['active', {}, false],
    ['disabled', { validUntil: '2020-01-01T00:00:00+00:00' }, true],
    ['notYet', { validSince: '2027-01-01T00:00:00+00:00' }, false],
    ['over', { validUntil: '2020-01-01T00:00:00+00:00' }, false],
    ['full', { maxVisits: 7 }, false],
    ['active', { maxVisits: 8 }, false],
  ])('is %s with %j', (state, limits, disabled) => {
    expect(linkState({ disabled, meta: { ...meta, ...limits }, visitsSummary }, NOW)).toBe(state);
  });
});

describe('an edit', () => {
  it('says only what was changed, and takes away what was emptied', () => {
    expect(changesOf(before, before)).toEqual({});
    expect(
      changesOf(before, { ...before, title: ' ', maxVisits: '', validUntil: '', tags: [], disabled: true }),
    ).toEqual({
      ...{ title: null, maxVisits: null, validUntil: null, tags: [], disabled: true },
    });
    expect(changesOf(before, { ...before, longUrl: ' https://example.com/2 ' })).toEqual({
      longUrl: 'https://example.com/2',
    });
  });

  it('gives times with their offset', () => {
    const { validSince } = changesOf(before, { ...before, validSince: '2026-06-01T12:00' });
    expect(Date.parse(String(validSince))).toBe(new Date('2026-06-01T12:00').getTime());
    expect(validSince).toMatch(/\+00:00$/);
  });
});

describe('a new link', () => {
  it('says nothing of what was left empty', () => {
    expect(toNewLink({ ...EMPTY_FORM, longUrl: ' https://example.com ' })).toEqual({ longUrl: 'https://example.com' });
    expect(toNewLink({ ...EMPTY_FORM, longUrl: 'https://a.test', customSlug: ' own ', tags: ['a'] })).toEqual({
      ...{ longUrl: 'https://a.test', customSlug: 'own', tags: ['a'] },
    });
  });
});

describe('the dates of a link', () => {
  it('are in their order, with now between them', () => {
    const dates = { ...meta, validSince: '2026-04-01T00:00:00+00:00', validUntil: '2026-05-01T00:00:00+00:00' };
    const moments = momentsOf({ dateCreated: '2026-02-01T00:00:00+00:00', meta: dates }, NOW);
    expect(moments.map(({ name, isPast }) => [name, isPast])).toEqual([
      ['created', true],
      ['now', true],
      ['validSince', false],
      ['validUntil', false],
    ]);
  });
});

describe('addresses that others wrote', () => {
  it.each(['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'nothing', '', null])(
    'are no links: %s',
    (address) => expect(safeHref(address)).toBeUndefined(),
  );

  it('are links where they lead to a page', () =>
    expect(safeHref('https://a.example/?b')).toBe('https://a.example/?b'));
});

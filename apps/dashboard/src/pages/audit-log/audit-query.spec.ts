import { describe, expect, it } from '@jest/globals';

import { parseAsked, toQuery } from './audit-query.js';

describe('what the address of the audit log asks for', () => {
  it('is what the api understands, and nothing else', () => {
    const search = {
      actorKind: 'user',
      actor: ' Ada ',
      kind: 'link',
      object: 's.example/a',
      after: '1790000000000-17',
    };
    expect(parseAsked({ ...search, page: '3' })).toEqual({ ...search, actor: 'Ada' });
    expect(parseAsked({ actorKind: 'robot', kind: 'cat', actor: ' ', object: ['a', 'b'], after: 'x' })).toEqual({});
    expect(parseAsked({ firstDay: '2026-13-01', lastDay: 'today', range: 'someday' })).toEqual({});
  });

  it('is a named range of the zone of the browser, unless it names days', () => {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    expect(toQuery(parseAsked({ range: 'today', kind: 'link' }))).toEqual({ range: 'today', timeZone, kind: 'link' });
    expect(toQuery({ range: 'today', firstDay: '2026-03-28' })).toEqual({ startDate: expect.any(String) });
  });

  it('is whole days where the browser is, the last one to its end', () => {
    const { startDate = '', endDate = '' } = toQuery({ firstDay: '2026-03-28', lastDay: '2026-03-30' });
    expect(new Date(startDate)).toEqual(new Date(2026, 2, 28));
    expect(new Date(endDate)).toEqual(new Date(new Date(2026, 2, 31).getTime() - 1));
  });
});

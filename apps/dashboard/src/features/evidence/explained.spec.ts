import { describe, expect, it } from '@jest/globals';

import { formatSearch, parseSearch } from '../../app/search.js';
import { formatExplained, parseExplained, toExplainQuestion, withoutValues, withValue } from './explained.js';

const question = { range: 'today' as const, timeZone: 'UTC' };

describe('which number is explained', () => {
  it.each([
    [{ filters: [] }],
    [{ filters: ['city=São "Paulo" <b>, ½', 'referrerUrl=https://a.example/?x=1&y=2'] }],
    [{ filters: [], link: { shortCode: 'a/b', domain: 's.example' } }],
    [{ filters: [], link: { shortCode: 'sale' }, from: '2026-10-25T02:00:00+02:00', to: '2026-10-25T02:00:00+01:00' }],
  ])('stands in the address: %j', (explained) => {
    expect(parseExplained(parseSearch(formatSearch({ ...formatExplained(explained) })))).toEqual(explained);
  });

  it.each([[''], ['?explainFrom=2026-01-01T00:00:00Z&explainTo=2026-01-02T00:00:00Z'], ['?filter=os%3DiOS']])(
    'is none where none is named: %s',
    (address) => expect(parseExplained(parseSearch(address))).toBeUndefined(),
  );

  it('leaves out what is not understood', () => {
    const address = '?explain=nothing&explainLink=&explainFrom=soon&explainTo=2026-01-02T00:00:00Z';
    expect(parseExplained(parseSearch(address))).toEqual({ filters: [] });
  });
});

describe('the question for its visits', () => {
  it('has the value of the number alone, also where the page shows several of its name', () => {
    const page = { ...question, 'filter[]': ['country=DE', 'country=FR', 'country!=US', 'os=iOS'] };
    expect(toExplainQuestion(withValue('country', 'FR'), {}, page)['filter[]']).toEqual([
      ...['country!=US', 'os=iOS', 'country=FR'],
    ]);
  });

  it('leaves out the values beside it, and keeps those that the page lets through', () => {
    const page = { ...question, 'filter[]': ['country=DE', 'os=iOS'] };
    const others = withoutValues('country', [{ value: 'DE' }, { value: 'a b&c' }])!;
    expect(toExplainQuestion(others, {}, page)['filter[]']).toEqual([
      ...['country=DE', 'os=iOS', 'country!=DE', 'country!=a b&c'],
    ]);
    expect(parseExplained(parseSearch(formatSearch({ ...formatExplained(others) })))).toEqual(others);
    expect(
      withoutValues(
        'referrerUrl',
        Array.from({ length: 50 }, () => ({ value: 'ü'.repeat(20) })),
      ),
    ).toBeUndefined();
  });

  it('is of the scope of the page, or of the link of the number, in its part of the range', () => {
    const scope = { shortCode: 'sale' };
    expect(toExplainQuestion({ filters: [] }, scope, question)).toEqual({ ...scope, ...question });
    const part = { from: '2026-10-25T02:00:00+02:00', to: '2026-10-25T02:00:00+01:00' };
    const link = { shortCode: 'other', domain: 's.example' };
    expect(toExplainQuestion({ filters: [], link, ...part }, scope, question)).toEqual({
      ...{ ...link, timeZone: 'UTC', startDate: part.from, endDate: part.to },
    });
  });
});

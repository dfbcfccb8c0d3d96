import { describe, expect, it } from '@jest/globals';

import { formatSearch, parseSearch } from '../../app/search.js';
import { changeView, formatFilter, intervalOf, parseFilter, parseView, toggleFilter, toQuestion } from './view.js';

describe('what an address says is looked at', () => {
  it('is the same after it was written and read again, whatever visitors sent', () => {
    const view = {
      range: 'last30days' as const,
      zone: 'Asia/Kathmandu',
      compare: 'year' as const,
      filter: [
        'country=DE',
        'referrerUrl!=https://a.example/?x=1&y=2#z',
        'browser=',
        'referrerUrl!^=https://b.example/',
        'city=São "Paulo" <b>, ½',
      ],
    };
    expect(parseView(parseSearch(formatSearch(view)))).toEqual(view);
    expect(parseView(parseSearch(formatSearch({ from: '2026-03-01', to: '2026-03-02', filter: ['os=iOS'] })))).toEqual({
      ...{ from: '2026-03-01', to: '2026-03-02', filter: ['os=iOS'] },
    });
  });

  it.each([
    ['?range=everything'],
    ['?from=2026-03-02&to=2026-03-01'],
    ['?from=2026-03-02'],
    ['?from=yesterday&to=today'],
    ['?zone=Mars/Base&compare=nothing&filter=country&filter=%3DDE'],
    ['?zone=&range='],
  ])('leaves out what is not understood: %s', (address) => {
    expect(parseView(parseSearch(address))).toEqual({});
  });

  it('is bounded', () => {
    const many = Array.from({ length: 300 }, (_, number) => `city=${number}`);
    expect(parseView({ filter: [...many, ...many] }).filter).toHaveLength(50);
  });

  it('becomes what the api is asked', () => {
    expect(toQuestion({}, 'Europe/Berlin')).toEqual({ range: 'last7days', timeZone: 'Europe/Berlin' });
    expect(toQuestion({ from: '2026-03-01', to: '2026-03-29', zone: 'UTC', filter: ['os=iOS'] }, 'Asia/Tokyo')).toEqual(
      {
        ...{ startDate: '2026-03-01', endDate: '2026-03-29', timeZone: 'UTC', 'filter[]': ['os=iOS'] },
      },
    );
  });

  it.each([
    [{ range: 'today' as const }, 'hour'],
    [{}, 'day'],
    [{ range: 'lastYear' as const }, 'week'],
    [{ from: '2026-03-01', to: '2026-03-02' }, 'hour'],
    [{ from: '2026-03-01', to: '2026-05-31' }, 'day'],
    [{ from: '2020-01-01', to: '2026-05-31' }, 'month'],
  ])('has points as far apart as its length allows: %j, %s', (view, interval) => {
    expect(intervalOf(view)).toBe(interval);
  });
});

describe('another view of the same page', () => {
  it('begins with the first page of its lists, and keeps what else the address says', () => {
    const search = { range: 'yesterday', page: 4, explainBefore: 'behind-this', explain: 'all', order: 'visits-DESC' };
    expect(formatSearch(changeView(search, { range: 'thisYear' }))).toBe(
      '?range=thisYear&explain=all&order=visits-DESC',
    );
    expect(formatSearch(changeView(search, { filter: ['os=iOS'] }))).toBe(
      '?range=yesterday&explain=all&order=visits-DESC&filter=os%3DiOS',
    );
  });
});

describe('filters', () => {
  it('keep the whole value, also an empty one and one with signs', () => {
    const prefixes = ['referrerUrl^=https://a.example/', 'destination!^=https://b.example/?a^=b'];
    for (const text of ['country=', 'referrerUrl=a=b', 'browser!=Chrome', 'city=!=', 'path=^=', ...prefixes]) {
      expect(formatFilter(parseFilter(text) ?? { dimension: '', isExcluded: false, value: '' })).toBe(text);
    }
    const only = { isExcluded: false, isPrefix: false };
    expect(parseFilter('city=!=')).toEqual({ dimension: 'city', ...only, value: '!=' });
    expect(parseFilter('path!^=/a')).toEqual({ dimension: 'path', isExcluded: true, isPrefix: true, value: '/a' });
  });

  it('are added and taken away by the same click', () => {
    expect(toggleFilter(toggleFilter(['os=iOS'], 'country=DE'), 'country=DE')).toEqual(['os=iOS']);
  });
});

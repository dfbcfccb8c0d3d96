import { describe, expect, it } from '@jest/globals';

import { parseSaved, SAVED_AT_MOST, withSaved } from './saved-views.js';

describe('saved views', () => {
  it('are read as they were kept', () => {
    const saved = [{ name: 'Spring', view: { range: 'monthToDate' as const, filter: ['country=DE'] } }];
    expect(parseSaved(JSON.stringify(saved))).toEqual(saved);
  });

  it.each([[null], ['no JSON'], ['{}'], ['[null, 1, {"name": ""}, {"name": "a"}, {"name": "b", "view": null}]']])(
    'are none where nothing is understood: %s',
    (text) => expect(parseSaved(text)).toEqual([]),
  );

  it('replace the one of the same name, and are bounded', () => {
    const saved = Array.from({ length: SAVED_AT_MOST }, (_, nth) => ({ name: String(nth), view: {} }));
    const more = withSaved(saved, { name: '7', view: { range: 'today' } });
    expect(more).toHaveLength(SAVED_AT_MOST);
    expect(more.filter(({ name }) => name === '7')).toEqual([{ name: '7', view: { range: 'today' } }]);
    expect(withSaved(saved, { name: 'new', view: {} })).toHaveLength(SAVED_AT_MOST);
  });
});

import { describe, expect, it } from '@jest/globals';

import { MAX_VIEWS, readViews, withoutPage, withView, writeViews } from './saved-views.js';

const holding = (text: string | null) => ({ getItem: () => text });

describe('views that a browser keeps', () => {
  it('are read back as they were written', () => {
    let kept = '';
    const views = withView([], { name: 'Mine', query: '?search=a' });
    expect(writeViews({ setItem: (_, text) => (kept = text) }, views)).toBe(true);
    expect(readViews(holding(kept))).toEqual(views);
  });

  it.each([null, 'nothing', '7', '{}', '[1, {"name": "a"}, null]'])('are none where %s stands', (text) =>
    expect(readViews(holding(text))).toEqual([]),
  );

  it('are replaced by one of the same name, and the newest stay', () => {
    const many = Array.from({ length: MAX_VIEWS }, (_, n) => ({ name: String(n), query: '' }));
    const changed = withView(withView(many, { name: '7', query: '?tag=b' }), { name: 'new', query: '' });
    expect(changed).toHaveLength(MAX_VIEWS);
    expect(changed.filter(({ name }) => name === '7')).toEqual([{ name: '7', query: '?tag=b' }]);
    expect(changed.at(-1)?.name).toBe('new');
  });

  it('name no page, also those that were kept with one', () => {
    const query = '?search=a&page=2&range=today&filter=x&filter=y';
    expect(withoutPage(query)).toBe('?search=a&range=today&filter=x&filter=y');
    expect([withoutPage('?page=2'), withoutPage('')]).toEqual(['', '']);
    expect(readViews(holding(JSON.stringify([{ name: 'Mine', query: '?page=2&tag=b' }])))).toEqual([
      { name: 'Mine', query: '?tag=b' },
    ]);
  });

  it('are said not to be kept where the browser refuses', () => {
    const refuse = () => {
      throw new Error('full');
    };
    expect(writeViews({ setItem: refuse }, [])).toBe(false);
  });
});

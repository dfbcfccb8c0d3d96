import { describe, expect, it } from '@jest/globals';

import { spreadOf } from './numbers.js';
import { markdownOf } from './report-markdown.js';

describe('a section as Markdown', () => {
  it('has a row a case and a column a measure, and a row for every other figure', () => {
    const text = markdownOf({
      title: 'Outages',
      notes: ['How.'],
      figures: [
        { name: 'up: p99', unit: 'ms', value: spreadOf([2.5, 1.25, 30]) },
        { name: 'up: failed', unit: '', value: spreadOf([0, 0]) },
        { name: 'Redis down: p99', unit: 'ms', value: spreadOf([4_000]) },
        { name: 'ratio', unit: 'x', value: spreadOf([5]), target: { atLeast: 3 } },
      ],
    });
    expect(text.split('\n')).toEqual([
      ...['### Outages', '', 'How.', ''],
      '|  | p99, ms | failed |',
      '| --- | --- | --- |',
      '| up | 2.50 (1.25–30) | 0 |',
      '| Redis down | 4,000 |  |',
      '',
      '|  | median (min–max) | target |',
      '| --- | --- | --- |',
      '| ratio, x | 5 | >= 3 reached |',
      '',
    ]);
  });
});

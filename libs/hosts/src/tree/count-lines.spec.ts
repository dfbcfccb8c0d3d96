import { MAX_COUNT } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { reverseLabels } from '../names/labels.js';
import { formatCountLines, parseCountLines } from './count-lines.js';
import { HostTree } from './host-tree.js';
import { listBelow } from './list-hosts.js';

describe('lines of counts', () => {
  const answer = (text: string) => {
    const read = parseCountLines(text);
    if ('mistakes' in read) return read.mistakes;
    const tree = new HostTree(1);
    for (const { host, visits } of read.counts) tree.addByName(host.reversed, 0, visits);
    const rows = listBelow(tree, '', { limit: 100_000 }) ?? [];
    return formatCountLines(rows.map(({ name, total }) => ({ name, visits: total })))
      .split('\n')
      .slice(0, -1)
      .sort();
  };

  it.each([
    [['9001 discuss.leetcode.com'], ['9001 leetcode.com', '9001 discuss.leetcode.com', '9001 com']],
    [
      ['900 google.mail.com', '50 yahoo.com', '1 intel.mail.com', '5 wiki.org'],
      ['901 mail.com', '50 yahoo.com', '900 google.mail.com', '5 wiki.org', '5 org', '1 intel.mail.com', '951 com'],
    ],
  ])('become those of LeetCode 811: %j', (given, expected) => {
    expect(answer(given.join('\n'))).toEqual(expected.sort());
    expect(answer(`\r\n  ${given.join(' \r\n\t')}\r\n\r\n`)).toEqual(expected);
  });

  it('add up for every name and each one above it', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'com'), { minLength: 1, maxLength: 4 });
    const lines = fc.array(fc.tuple(fc.integer({ min: 1, max: MAX_COUNT }), names), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(lines, (given) => {
        const sums = new Map<string, number>();
        for (const [count, labels] of given) {
          labels.forEach((_, index) => {
            const name = labels.slice(index).join('.');
            sums.set(name, (sums.get(name) ?? 0) + count);
          });
        }
        const text = given.map(([count, labels]) => `${count} ${labels.join('.')}`).join('\n');
        expect(answer(text)).toEqual([...sums].map(([name, count]) => `${count} ${name}`).sort());
      }),
      { numRuns: 10_000 },
    );
  }, 120_000);

  it.each([
    ['', 0, 'no-lines'],
    ['\n \n', 0, 'no-lines'],
    ['1 a.b\n\nx a.b', 3, 'not-a-count-and-a-host'],
    ['1', 1, 'not-a-count-and-a-host'],
    ['1 a b', 1, 'not-a-count-and-a-host'],
    ['-1 a', 1, 'not-a-count-and-a-host'],
    ['+1 a', 1, 'not-a-count-and-a-host'],
    ['1.5 a', 1, 'not-a-count-and-a-host'],
    ['1e400 a', 1, 'not-a-count-and-a-host'],
    ['0x10 a', 1, 'not-a-count-and-a-host'],
    ['0 a', 1, 'count-out-of-range'],
    [`${MAX_COUNT + 1} a`, 1, 'count-out-of-range'],
    [`${'9'.repeat(400)} a`, 1, 'count-out-of-range'],
    ['1 u@a.b', 1, 'credentials'],
    ['1 *.a.b', 1, 'label'],
    ['1 a\0b', 1, 'unreadable'],
    ['1 a.b\n'.repeat(10_001), 10_001, 'too-many-lines'],
  ])('such as %j are refused, and it says where', (text, line, reason) => {
    expect(parseCountLines(text)).toEqual({ mistakes: [{ line, reason }] });
  });

  it('may be ten thousand, of any host', () => {
    const read = parseCountLines(`${MAX_COUNT} __proto__.constructor\n`.repeat(10_000));
    expect('counts' in read && read.counts.length).toBe(10_000);
    expect('counts' in read && read.counts[9_999]).toMatchObject({
      host: { reversed: reverseLabels('__proto__.constructor') },
    });
    const wrong = parseCountLines('1 a..b\n'.repeat(10_000));
    expect('mistakes' in wrong && wrong.mistakes.length).toBe(100);
  });
});

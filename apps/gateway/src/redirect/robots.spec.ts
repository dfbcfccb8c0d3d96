import { describe, expect, it } from '@jest/globals';

import { waitUntil } from '@hopcount/testing';

import { Robots, robotsText } from './robots.js';

const link = (code: string, takesPath = false) => ({ code, takesPath });

describe('robots.txt', () => {
  it('allows crawlable links and nothing else', () => {
    expect(robotsText([])).toBe('User-agent: *\nDisallow: /\n');
    expect(robotsText([link('abc'), link('docs', true)])).toBe(
      'User-agent: *\nAllow: /abc$\nAllow: /abc?\nAllow: /docs$\nAllow: /docs?\nAllow: /docs/\nDisallow: /\n',
    );
  });

  it('writes a code as visitors send it, so that no sign of it is a rule', () => {
    expect(robotsText([link('ü*$😀')])).toContain('Allow: /%C3%BC%2A%24%F0%9F%98%80$\n');
  });

  it('is what PostgreSQL said last while it is away, and unavailable when it never said anything', async () => {
    let answers = 1;
    const query = () => (answers-- > 0 ? Promise.resolve([link('abc')]) : Promise.reject(new Error('away')));
    const robots = new Robots({ query, execute: query } as never, 1);
    const first = await robots.bodyFor('a.test');
    await waitUntil(async () => (await robots.bodyFor('a.test')) === first && answers < -2, { describe: 'an outage' });
    expect(await robots.bodyFor('b.test')).toBeUndefined();
  });

  it('is no longer than crawlers read', () => {
    const many = Array.from({ length: 10_001 }, (_, n) => link(`${n}${'x'.repeat(200)}`));
    const text = robotsText(many);
    expect(text.length).toBeLessThanOrEqual(512_000);
    expect(text).toContain('Allow: /0x');
    expect(text.endsWith('?\nDisallow: /\n')).toBe(true);
    expect(robotsText(many.map(({ code }) => link(code.slice(0, 5)))).match(/\$/g)).toHaveLength(10_000);
  });
});

import { describe, expect, it } from '@jest/globals';
import { BlockList, type LinkPolicy } from '@hopcount/links';

import { compileRedirect } from './decide-redirect.js';
import { normaliseHost, readRequestTarget } from './request-target.js';

const NOW = Date.UTC(2026, 10, 22);
const SECOND = 1_000;
const RULES = { schemes: ['http', 'https', 'mailto'], blocks: BlockList.NONE };

const noVisitor = (): never => {
  throw new Error('nobody asked for rules');
};

function decide(
  longUrl: string,
  policy: LinkPolicy | string | null = null,
  path = '',
  nowMs = NOW,
  blocks = RULES.blocks,
) {
  const text = typeof policy === 'object' && policy !== null ? JSON.stringify(policy) : policy;
  const link = { id: '1', domain: 'a.test', code: 'x', longUrl, groupId: null, policy: text, version: '1' };
  const compiled = compileRedirect({ outcome: 'found', link }, { ...RULES, blocks });
  return compiled.decide(readRequestTarget(`/x${path}`), nowMs, noVisitor);
}

function to(...given: Parameters<typeof decide>): string | undefined {
  const decision = decide(...given);
  return decision.outcome === 'redirect' ? decision.location : undefined;
}

describe('a redirect', () => {
  it('sends a plain target as it was written', () => {
    for (const url of ['https://example.com', 'HTTP://Example.com/a?b=%20c#d', 'https://example.com/a//b']) {
      expect(to(url)).toBe(url);
    }
  });

  it('sends ASCII, whatever is stored', () => {
    expect(to('https://müller.example/ü?q=ß#é')).toBe('https://xn--mller-kva.example/%C3%BC?q=%C3%9F#%C3%A9');
    expect(to('https://example.com/a b')).toBe('https://example.com/a%20b');
    expect(to('https:/evil.com')).toBe('https://evil.com/');
    expect(to('https://example.com/\r\nset-cookie: x')).toBe('https://example.com/set-cookie:%20x');
  });

  it.each(['javascript:alert(1)', ' java\tscript:x', 'data:text/html,x', 'file:///etc/passwd', '//evil', 'x', ''])(
    'never sends %j',
    (url) => {
      expect(to(url)).toBeUndefined();
      expect(to('https://example.com', { validUntil: NOW - 1, expiredUrl: url })).toBeUndefined();
    },
  );

  it('S2: sends an address of another scheme that is allowed as it is, to which visitors add nothing', () => {
    const open = { extraPath: 'append' } as const;
    expect(to('mailto:a@b.test?subject=a b', open, '/more?bcc=evil@c.test')).toBe('mailto:a@b.test?subject=a%20b');
    // It opens another program: a page says so first.
    expect(decide('mailto:a@b.test')).toMatchObject({ warns: true });
    expect(decide('https://example.com')).toMatchObject({ warns: false });
  });

  it('knows nothing of an unknown link, of a disabled one and of one whose policy is damaged', () => {
    const notFound = { outcome: 'not-found' };
    expect(compileRedirect({ outcome: 'unknown' }, RULES).decide(readRequestTarget('/x'), NOW, noVisitor)).toEqual(
      notFound,
    );
    expect(decide('https://example.com', { disabled: true, expiredUrl: 'https://example.com/over' })).toEqual(notFound);
    for (const damaged of ['{', 'null', '7']) expect(decide('https://example.com', damaged)).toEqual(notFound);
  });
});

describe('a redirect with a query', () => {
  it.each([
    ['https://example.com', '?a=1', 'https://example.com?a=1'],
    ['https://example.com/p#f', '?a=1&b', 'https://example.com/p?a=1&b#f'],
    ['https://example.com/p?a=1#f?x', '?b=2', 'https://example.com/p?a=1&b=2#f?x'],
    ['https://example.com/?', '?b=2', 'https://example.com/?b=2'],
    ['https://example.com/', '?foo%20bar=123&x+y=%2F', 'https://example.com/?foo%20bar=123&x+y=%2F'],
    ['https://example.com/', '?a=1&a=2&&', 'https://example.com/?a=1&a=2'],
    ['https://example.com/', '?', 'https://example.com/'],
    ['https://example.com/', '?a=1#x"<y>\xfc', 'https://example.com/?a=1%23x%22%3Cy%3E%FC'],
  ])('adds to %s what %s says, as it was written', (url, query, location) => {
    expect(to(url, null, query)).toBe(location);
  });

  it.each([
    '?ref=evil',
    '?r%65f=evil',
    '?ref[]=evil',
    '?ref%5B0%5D=evil',
    '?ref',
    '?a+b=evil',
    '?a%20b=evil',
    '?=evil',
  ])('S11: never replaces a parameter of the target: %s', (query) => {
    const url = 'https://example.com/?ref=mine&a%20b=1&=';
    expect(to(url, null, query)).toBe(url);
    expect(to(url, null, `${query}&c=2`)).toBe(`${url}&c=2`);
  });

  it.each(['?url=//evil.test', '?@evil.test', '?//evil.test', '?\\evil.test'])(
    'S11: stays on its host: %s',
    (query) => {
      expect(new URL(to('https://example.com', null, query)!).host).toBe('example.com');
    },
  );

  it('leaves it out when the link says so, or when it is too long', () => {
    expect(to('https://example.com/?a=1', { forwardQuery: false }, '?b=2')).toBe('https://example.com/?a=1');
    expect(to('https://example.com/', null, `?b=${'x'.repeat(9_000)}`)).toBe('https://example.com/');
  });
});

describe('a redirect with an extra path', () => {
  it('is none unless the link says what it means', () => {
    for (const path of ['/more', '/', '/a/b?c=d']) {
      expect(to('https://example.com/', null, path)).toBeUndefined();
      expect(to('https://example.com/p?a=1', { extraPath: 'ignore', forwardQuery: false }, path)).toBe(
        'https://example.com/p?a=1',
      );
    }
  });

  it.each([
    ['https://example.com', '/more', 'https://example.com/more'],
    ['https://example.com/p/', '/more/', 'https://example.com/p/more/'],
    ['https://example.com/p?a=1#f', '/m%C3%B6re?b=2', 'https://example.com/p/m%C3%B6re?a=1&b=2#f'],
    ['https://example.com', '/@evil.test', 'https://example.com/@evil.test'],
    ['https://example.com', '//evil.test', 'https://example.com//evil.test'],
    ['https://example.com', '/\\evil.test', 'https://example.com/%5Cevil.test'],
  ])('appends to %s the path %s', (url, path, location) => {
    expect(to(url, { extraPath: 'append' }, path)).toBe(location);
  });

  it.each(['/..', '/../a', '/a/%2e%2E/b', '/a/.', '/%2e', '/a\\..\\b', `/${'x'.repeat(3_000)}`])(
    'does not step through the target, nor grow without end: %.20s',
    (path) => {
      expect(readRequestTarget(`/x${path}`).code).toBeUndefined();
    },
  );
});

describe('the pixel', () => {
  it('is there as long as the link is, whatever its extra paths mean', () => {
    const period = { validSince: NOW - SECOND, validUntil: NOW + SECOND, expiredUrl: 'https://example.com/over' };
    for (const policy of [null, { extraPath: 'append' }, period] as (LinkPolicy | null)[]) {
      expect(decide('https://example.com', policy, '/track?a=1')).toMatchObject({ outcome: 'pixel', location: '' });
    }
    for (const nowMs of [NOW - 2 * SECOND, NOW + 2 * SECOND]) {
      expect(decide('https://example.com', period, '/track', nowMs)).toEqual({ outcome: 'not-found' });
    }
    expect(decide('https://example.com', { disabled: true }, '/track')).toEqual({ outcome: 'not-found' });
    expect(to('https://example.com', { extraPath: 'append' }, '/track/more')).toBe('https://example.com/track/more');
  });
});

describe('a redirect of a link with a period', () => {
  const period = { validSince: NOW - SECOND, validUntil: NOW + SECOND };

  it('is found from its first to its last moment', () => {
    const found = (nowMs: number) => to('https://example.com', period, '', nowMs) !== undefined;
    expect([NOW - SECOND - 1, NOW - SECOND, NOW + SECOND, NOW + SECOND + 1].map(found)).toEqual([
      ...[false, true, true, false],
    ]);
  });

  it('leads elsewhere after its end, and only then', () => {
    const expired = { ...period, expiredUrl: 'https://example.com/over', status: 301 } as const;
    expect(to('https://example.com', expired, '', NOW - 2 * SECOND)).toBeUndefined();
    expect(to('https://example.com', expired, '', NOW)).toBe('https://example.com');
    expect(decide('https://example.com', expired, '?a=1', NOW + 2 * SECOND)).toMatchObject({
      ...{ location: 'https://example.com/over', status: 302, cacheControl: 'private, no-store', route: 'expired' },
    });
  });
});

describe('the status of a redirect', () => {
  it.each([
    [null, 302, 'private, no-store'],
    [{ status: 307 }, 307, 'private, no-store'],
    [{ status: 301 }, 301, 'private, max-age=30'],
    [{ status: 308, extraPath: 'append' }, 308, 'private, max-age=30'],
    [{ status: 301, validUntil: NOW + SECOND }, 301, 'private, no-store'],
    [{ status: 308, maxVisits: 5 }, 308, 'private, no-store'],
    [{ status: 301, rules: [] }, 301, 'private, no-store'],
    [{ status: 308, split: [] }, 308, 'private, no-store'],
  ] as [LinkPolicy | null, number, string][])('%j is %i, and browsers are told %s', (policy, status, cacheControl) => {
    expect(decide('https://example.com', policy)).toMatchObject({ status, cacheControl });
    expect(decide('https://example.com', policy, '?a=1')).toMatchObject({ status, cacheControl });
  });

  it.each([
    ['/phish/1', 'blocked'],
    ['/%50hish/1', 'blocked'],
    ['?u=phish/', 'blocked'],
    ['/fish', 'redirect'],
    ['', 'redirect'],
  ])('to what a visitor makes of a target with %j is %s by a pattern', (asked, outcome) => {
    const blocks = new BlockList(1n, [{ kind: 'pattern', value: 'example.com/*phish/', action: 'block' }]);
    expect(decide('https://example.com/', { extraPath: 'append' }, asked, NOW, blocks)).toMatchObject({ outcome });
  });
});

describe('a warning of the block list', () => {
  const warned = (value: string, kind: 'host' | 'pattern' | 'link' = 'host') =>
    new BlockList(1n, [{ kind, value, action: 'warn' }]);
  const rules = (longUrl: string) => [
    { longUrl, conditions: [{ type: 'language' as const, matchKey: null, matchValue: 'de' }] },
  ];
  const compile = (longUrl: string, policy: LinkPolicy, blocks: BlockList) => {
    const text = JSON.stringify(policy);
    const link = { id: '1', domain: 'a.test', code: 'x', longUrl, groupId: null, policy: text, version: '1' };
    return compileRedirect({ outcome: 'found', link }, { ...RULES, blocks });
  };

  it.each([
    ['https://odd.test/', {}, warned('odd.test'), '', true],
    ['https://example.com/', {}, warned('odd.test'), '', false],
    ['https://example.com/', {}, warned('a.test/x', 'link'), '', true],
    ['https://example.com/', {}, warned('?u=odd', 'pattern'), '?u=odd', true],
    ['https://example.com/', {}, warned('?u=odd', 'pattern'), '?u=even', false],
    ['https://example.com/', { validUntil: NOW - 1, expiredUrl: 'https://odd.test/' }, warned('odd.test'), '', true],
  ] as [string, LinkPolicy, BlockList, string, boolean][])(
    'puts a page before what leads there and is kept by no browser: %s %j',
    (longUrl, policy, blocks, asked, warns) => {
      const compiled = compile(longUrl, { status: 301, ...policy }, blocks);
      const decision = compiled.decide(readRequestTarget(`/x${asked}`), NOW, noVisitor);
      expect(decision).toMatchObject({ outcome: 'redirect', warns });
      expect(decision).toMatchObject({
        cacheControl: warns ? 'private, no-store' : expect.stringContaining('max-age'),
      });
      expect(compiled.guard?.mayWarn).toBe(blocks.warnsByText || warns);
    },
  );

  it('takes the form of its page also where only a rule, a part of a split or the end leads there', () => {
    const odd = 'https://odd.test/';
    for (const policy of [
      { rules: rules(odd) },
      { split: [{ longUrl: odd, weight: 1 }] },
      { maxVisits: 1, expiredUrl: odd },
    ]) {
      expect(compile('https://example.com/', policy, warned('odd.test')).guard?.mayWarn).toBe(true);
      expect(compile('https://example.com/', policy, BlockList.NONE).guard?.mayWarn).toBe(false);
    }
  });
});

describe('readRequestTarget', () => {
  it('reads code, extra path and raw query', () => {
    expect(readRequestTarget('/abc?x=%20y?z')).toEqual({ code: 'abc', extraPath: '', query: 'x=%20y?z' });
    expect(readRequestTarget('/a%20b')).toEqual({ code: 'a b', extraPath: '', query: '' });
    expect(readRequestTarget('/a/b%2Fc/?d')).toEqual({ code: 'a', extraPath: '/b%2Fc/', query: 'd' });
    expect(readRequestTarget('/%2541').code).toBe('%41');
    expect(readRequestTarget(`/${'%F0%9F%98%80'.repeat(128)}`).code).toBe('\u{1f600}'.repeat(128));
    expect(readRequestTarget('/Gru%CC%88n').code).toBe('Gr\u00fcn');
  });

  it.each([
    '/',
    '',
    '*',
    'abc',
    'http://a.test/abc',
    '//a',
    '/a%2Fb',
    '/a%5Cb',
    '/a%00b',
    '/a%0Ab',
    '/%',
    '/%E0%A4%A',
    '/%ED%A0%80',
    `/${'x'.repeat(257)}`,
    `/${'%20'.repeat(257)}`,
    `/${'x'.repeat(100_000)}`,
  ])('%# means no code', (url) => {
    expect(readRequestTarget(url).code).toBeUndefined();
  });
});

describe('normaliseHost', () => {
  it.each([
    ['a.test', 'http', 'a.test'],
    ['A.Test', 'http', 'a.test'],
    ['a.test.', 'http', 'a.test'],
    ['a.test.:8080', 'http', 'a.test:8080'],
    ['a.test:80', 'http', 'a.test'],
    ['a.test:443', 'https', 'a.test'],
    ['a.test:443', 'http', 'a.test:443'],
    ['a.test:8443', 'https', 'a.test:8443'],
    ['MÜLLER.example', 'http', 'xn--mller-kva.example'],
    ['[::1]:8080', 'http', '[::1]:8080'],
    ['127.0.0.1:8080', 'http', '127.0.0.1:8080'],
  ] as const)('%s under %s is %s', (host, scheme, authority) => {
    expect(normaliseHost(host, scheme)).toBe(authority);
  });

  it.each([undefined, '', ' ', 'a b', 'user@a.test', 'a.test/x', 'a'.repeat(5_000), 'a.test:99999', '%', '::1'])(
    '%# is no host',
    (host) => {
      expect(normaliseHost(host, 'http')).toBeUndefined();
    },
  );
});

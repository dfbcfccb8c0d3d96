import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BlockList } from './block-list.js';
import { KnownBlocks } from './known-blocks.js';
import { type BlockValue, parseBlock } from './parse-block.js';
import { readBlockLine } from './read-block-file.js';

const parse = (kind: BlockValue['kind'], value: string) => parseBlock(kind, value, (named) => named ?? 's.test').value;
const listOf = (...blocks: BlockValue[]) =>
  new BlockList(
    1n,
    blocks.map((one) => ({ ...one, action: 'block' })),
  );
const blocks = (kind: BlockValue['kind'], value: string, url: string) =>
  listOf({ kind, value: parse(kind, value) }).onTarget(new URL(url)) === 'block';

describe('a block', () => {
  it.each([
    ['host', 'Evil.Example', 'evil.example'],
    ['host', '*.evil.example.', 'evil.example'],
    ['host', 'böse.example', 'xn--bse-sna.example'],
    ['host', '192.0.2.7', '192.0.2.7'],
    ['host', '[2001:DB8::1]', '[2001:db8::1]'],
    ['pattern', '**Example.com/Download/**.EXE*', 'example.com/download/*.exe'],
    ['pattern', 'example.com//%70hish%2F', 'example.com/phish%2f'],
    ['link', 'aBc', 's.test/aBc'],
    ['link', 'https://O.test/f%C3%BCr', 'o.test/für'],
  ] as const)('of the %s %s is kept as %s', (kind, given, kept) => {
    expect(parse(kind, given)).toBe(kept);
  });

  it.each([
    ['host', ''],
    ['host', 'com'],
    ['host', 'evil.example:8080'],
    ['host', 'https://evil.example/'],
    ['host', 'a b.example'],
    ['pattern', '*'],
    ['pattern', 'a*b*c'],
    ['pattern', 'über alles'],
    ['pattern', 'x*'.repeat(20)],
    ['pattern', 'x'.repeat(501)],
    ['link', ''],
    ['link', 's.test/a/b'],
    ['link', '%'],
    ['link', 'a\u0000'],
  ] as const)('is refused of the %s %j', (kind, given) => {
    expect(() => parse(kind, given)).toThrow(expect.objectContaining({ code: 'invalid-data' }));
  });

  it.each([
    ['host', 'evil.example', 'https://evil.example/x', true],
    ['host', 'evil.example', 'https://a.b.EVIL.example:8443/', true],
    ['host', 'evil.example', 'https://evil.example./', true],
    ['host', 'evil.example', 'https://notevil.example/', false],
    ['host', 'evil.example', 'https://evil.example.org/?u=evil.example', false],
    ['host', '192.0.2.7', 'http://3221225991/', true],
    ['pattern', 'example.com/d/*.exe', 'https://www.example.com/d/a/b.EXE?x', true],
    ['pattern', 'example.com/d/*.exe', 'https://www.example.com/.exe/d/', false],
    ['pattern', 'example.com/phish', 'https://example.com/%70h%69sh', true],
    ['pattern', 'example.com/phish', 'https://example.com///phish', true],
    ['pattern', 'example.com/phish', 'https://example.com./phish', true],
    ['pattern', 'example.com:81/phish', 'https://example.com.:81/phish', true],
    ['pattern', 'example.com/a/b', 'https://example.com/a%2Fb', false],
    ['pattern', 'http://example.com', 'http://example.com/', true],
    ['link', 's.test/abc', 'https://s.test/abc', false],
  ] as const)('of the %s %s and %s: %s', (kind, value, url, isBlocked) => {
    expect(blocks(kind, value, url)).toBe(isBlocked);
  });

  it('S31: of a pattern is what the same regular expression says, whatever the texts', () => {
    const text = fc.stringMatching(/^[ab*]{4,12}$/);
    fc.assert(
      fc.property(text, fc.stringMatching(/^[ab]{0,20}$/), (pattern, path) => {
        const isUsable = pattern.replaceAll('*', '').length >= 4;
        fc.pre(isUsable);
        const expression = new RegExp(pattern.replaceAll('*', '.*'));
        const href = `https://x.test/${path}`;
        expect(blocks('pattern', pattern, href)).toBe(expression.test(href));
      }),
    );
  });

  it('of a link is of that link alone', () => {
    const list = listOf({ kind: 'link', value: 's.test/abc' });
    expect([list.onLink('s.test', 'abc'), list.onLink('s.test', 'abcd'), list.onLink('o.test', 'abc')]).toEqual([
      'block',
      undefined,
      undefined,
    ]);
  });

  it('goes before a warning, which holds for what is not blocked', () => {
    const list = new BlockList(1n, [
      { kind: 'host', value: 'evil.example', action: 'warn' },
      { kind: 'host', value: 'worst.evil.example', action: 'block' },
      { kind: 'link', value: 's.test/abc', action: 'warn' },
      { kind: 'pattern', value: 'x.example/a*b', action: 'warn' },
    ]);
    const on = (url: string) => list.onTarget(new URL(url));
    expect([on('https://a.evil.example/'), on('https://worst.evil.example/')]).toEqual(['warn', 'block']);
    expect([on('https://x.example/a/b'), list.onText('https://x.example/?')]).toEqual(['warn', undefined]);
    expect([list.onLink('s.test', 'abc'), list.warnsByText, BlockList.NONE.warnsByText]).toEqual(['warn', true, false]);
  });
});

describe('a line of a block list', () => {
  it.each([
    ['evil.example', ['evil.example'], false],
    ['0.0.0.0 evil.example www.evil.example # ads', ['evil.example', 'www.evil.example'], false],
    ['127.0.0.1\tlocalhost', [], false],
    ['::1 ip6-localhost evil.example', ['evil.example'], false],
    ['||evil.example^', ['evil.example'], false],
    ['# comment', [], false],
    ['! comment', [], false],
    ['[Adblock Plus 2.0]', [], false],
    ['', [], false],
    ['0.0.0.0 0.0.0.0', [], false],
    ['||evil.example^$third-party', [], true],
    ['@@||good.example^', [], true],
    ['https://evil.example/path', [], true],
    ['evil.example good.example', [], true],
    ['com', [], true],
  ])('%j blocks %j', (line, hosts, isOther) => {
    const read = readBlockLine(line);
    expect([read.blocks.map(({ value }) => value), read.isOther]).toEqual([hosts, isOther]);
  });
});

describe('the blocks that are known', () => {
  it('are read once for all who ask at once, and again for who knows of a later version than what is being read', async () => {
    const reads: ((version: string) => void)[] = [];
    const query = <Row>() =>
      new Promise<Row[]>((resolve) => reads.push((version) => resolve([{ version, kind: null } as Row])));
    const known = new KnownBlocks({ query, execute: () => Promise.reject(new Error('nothing is to be written')) });
    const soon = () => new Promise((resolve) => setImmediate(resolve));
    const asked = ['1', '1', '1'].map((version) => known.at(version));
    await soon();
    const later = known.at('2');
    await soon();
    expect(reads).toHaveLength(1);
    reads[0]?.('1');
    expect((await Promise.all(asked)).map(({ version }) => version)).toEqual([1n, 1n, 1n]);
    await soon();
    expect(reads).toHaveLength(2);
    reads[1]?.('2');
    expect((await later).version).toBe(2n);
    expect((await known.at('2')).version).toBe(2n);
    expect(reads).toHaveLength(2);
  });
});

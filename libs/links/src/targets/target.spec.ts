import { describe, expect, it } from '@jest/globals';
import { isAppError } from '@hopcount/runtime';

import { parseTarget, type TargetRules } from './target.js';

const RULES = { ownAuthorities: ['sho.rt', 'localhost:8080', 'bücher.example'], allowPrivateTargets: false };

function refusal(longUrl: string, rules: TargetRules = RULES): string {
  try {
    return `taken as ${parseTarget(longUrl, rules)}`;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code === 'unsafe-target' ? String(error.details['reason']) : error.code;
  }
}

describe('a target', () => {
  it.each([
    ['https://example.com', 'https://example.com'],
    ['HTTPS://Example.com:443/a?b=c#d', 'HTTPS://Example.com:443/a?b=c#d'],
    ['  https://example.com/x ', 'https://example.com/x'],
    ['https://example.com/ä b', 'https://example.com/%C3%A4%20b'],
    ['http://аpple.com', 'http://xn--pple-43d.com/'],
    ['http://ⓔxample.com', 'http://example.com/'],
    ['https:/evil.com', 'https://evil.com/'],
    ['https:evil.com', 'https://evil.com/'],
    ['https://good.com\\@evil.com/', 'https://good.com/@evil.com/'],
    ['https://example.com/a\nb', 'https://example.com/ab'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
    ['https://sho.rt.example.com/', 'https://sho.rt.example.com/'],
    ['https://example.com/?next=http://127.0.0.1', 'https://example.com/?next=http://127.0.0.1'],
  ])('S6, S7: %j is stored as %j', (longUrl, stored) => {
    expect(parseTarget(longUrl, RULES)).toBe(stored);
  });

  it('S13: always fits a Location header', () => {
    for (const longUrl of ['https://example.com/€', 'https://例え.jp/\u00a0', 'https://example.com/\u0085']) {
      expect(parseTarget(longUrl, RULES)).toMatch(/^[!-~]+$/);
    }
  });

  it.each([
    ...['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)'],
    ...['java\nscript:alert(1)', '\u0001javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'],
    ...['blob:https://x/y', 'intent://x#Intent;end', '//evil.example', '\\\\evil.example', 'ftp://example.com/'],
    ...['mailto:a@b.example', 'tel:+1', 'ws://example.com', 'view-source:https://example.com', 'about:blank'],
  ])('S1: %j is refused for its scheme', (longUrl) => {
    expect(refusal(longUrl)).toBe('scheme');
  });

  it.each([
    ...['http://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f.1', 'http://0177.0.0.1', 'http://0'],
    ...['http://１２７.0.0.1', 'http://[::1]', 'http://[::]', 'http://[0:0:0:0:0:0:0:1]', 'http://[::ffff:127.0.0.1]'],
    ...['http://[::ffff:a00:5]', 'http://[::127.0.0.1]', 'http://[64:ff9b::7f00:1]', 'http://[2002:7f00:1::]'],
    ...['http://[fe80::1]', 'http://[fc00::1]', 'http://[fd12::1]', 'http://[ff02::1]', 'http://[fec0::1]'],
    ...['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://metadata.google.internal/', 'http://metadata/'],
    ...['http://10.0.0.5', 'http://172.16.0.1', 'http://172.31.255.255', 'http://192.168.1.1', 'http://100.64.0.1'],
    ...['http://0.0.0.0', 'http://224.0.0.1', 'http://255.255.255.255', 'http://192.0.2.1', 'http://198.18.0.1'],
    ...[
      'http://localhost',
      'http://LOCALHOST.',
      'http://a.localhost',
      'http://localhost.localdomain',
      'http://printer',
    ],
    ...[
      'http://nas.local',
      'http://x.internal',
      'http://router.home.arpa',
      'http://1.2.3.4.nip.io',
      'http://localtest.me',
    ],
    ...['http://10.0.0.5./', 'http://2852039166/', 'https://127.0.0.1:8443/', 'http://0xA9FEA9FE/'],
  ])('S3: %j is refused for its host', (longUrl) => {
    expect(refusal(longUrl)).toBe('private-host');
    expect(refusal(longUrl, { ...RULES, ownAuthorities: [], allowPrivateTargets: true })).toContain('taken as');
  });

  it.each([
    ...['https://sho.rt/x', 'http://sho.rt/x', 'HTTPS://SHO.RT:443/x', 'https://sho.rt./x', 'https://ｓｈｏ.rt/x'],
    ...[
      'http://localhost:8080/x',
      'http://127.0.0.1:8080/x',
      'https://xn--bcher-kva.example/',
      'https://bücher.example',
    ],
  ])('S4: %j is refused as a loop, private targets allowed or not', (longUrl) => {
    expect(refusal(longUrl)).toBe('loop');
    expect(refusal(longUrl, { ...RULES, allowPrivateTargets: true })).toBe('loop');
  });

  it('may be another server on a host whose authority names its port', () => {
    expect(refusal('http://localhost:3000/', { ...RULES, allowPrivateTargets: true })).toContain('taken as');
  });

  it.each([
    'https://good.com@evil.com/',
    'https://user:pw@example.com/',
    'https://:pw@example.com',
    'https://a@sho.rt/',
  ])('S6: %j is refused for its user name', (longUrl) => {
    expect(refusal(longUrl)).toBe('userinfo');
  });

  it('S13: has at most 2,048 characters, as written and as sent', () => {
    const base = 'https://example.com/';
    expect(refusal(base + 'a'.repeat(2_048 - base.length))).toContain('taken as');
    expect(refusal(base + 'a'.repeat(2_049 - base.length))).toBe('too-long');
    expect(refusal(base + 'ä'.repeat(400))).toBe('too-long');
  });

  it.each(['', 'foo', 'example.com', '/relative', 'http://', 'https://exa mple.com', 'http://[::1', 'http://a:99999/'])(
    '%j is no URL',
    (longUrl) => {
      expect(refusal(longUrl)).toBe('invalid-data');
    },
  );

  it.each([
    ['mailto:a@b.example?subject=hello you', 'mailto:a@b.example?subject=hello%20you'],
    ['TEL:+1-201-555-0123', 'tel:+1-201-555-0123'],
    ['app+x://open/item?id=1', 'app+x://open/item?id=1'],
    ['mailto:ä@b.example\r\nx: y', 'mailto:%C3%A4@b.examplex:%20y'],
  ])('S2: %j is stored as %j where its scheme is allowed', (longUrl, stored) => {
    const schemes = ['https', 'mailto', 'tel', 'app+x'];
    expect(refusal(longUrl, { ...RULES, schemes })).toBe(`taken as ${stored}`);
    expect(refusal('http://example.com', { ...RULES, schemes })).toBe('scheme');
    for (const scheme of ['https', 'ftp']) {
      const more = { ...RULES, schemes: [scheme] };
      expect(refusal(`${scheme}://127.0.0.1/`, more)).toBe('private-host');
      expect(refusal(`${scheme}://sho.rt/`, more)).toBe('loop');
    }
  });
});

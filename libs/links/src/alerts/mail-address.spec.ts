import { describe, expect, it } from '@jest/globals';

import { parseMailAddress } from './mail-address.js';

const LONG = 'a'.repeat(64);

describe('an e-mail address', () => {
  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    ["o'neil+alerts=x_y~z&co@mail.example.co.uk", "o'neil+alerts=x_y~z&co@mail.example.co.uk"],
    ['1@xn--mnchen-3ya.de', '1@xn--mnchen-3ya.de'],
    [`${LONG}@example.com`, `${LONG}@example.com`],
  ])('%s is taken', (text, address) => {
    expect(parseMailAddress(text)).toBe(address);
  });

  it.each([
    ...['', 'ada', '@example.com', 'ada@', 'ada@localhost', 'ada@example', 'ada@127.0.0.1', 'ada@[127.0.0.1]'],
    ...['ada@example.com\r\nBcc: eve@example.com', 'ada@example.com\n', 'ada\r@example.com', 'ada\u0000@example.com'],
    ...['ada@example.com,eve@example.com', 'ada@example.com;eve@example.com', 'ada@example.com eve@example.com'],
    ...['Ada <ada@example.com>', '<ada@example.com>', '"ada eve"@example.com', 'ada(eve)@example.com', 'a:b@x.com'],
    ...['ada%example.org@example.com', 'example.org!ada@example.com', '|sh@example.com', '-oQ/tmp@example.com'],
    ...['/dev/null@example.com', '`id`@example.com', '$x@example.com', 'ada@@example.com', 'ada@b@example.com'],
    ...['.ada@example.com', 'ada.@example.com', 'a..b@example.com', 'ada@.example.com', 'ada@example..com'],
    ...['ada@-example.com', 'ada@example-.com', 'ada@exa_mple.com', 'ada@münchen.de', 'äda@example.com', 'ada@x.com.'],
    ...[`a${LONG}@example.com`, `ada@${'b'.repeat(64)}.com`, `ada@${'b.'.repeat(125)}com`],
  ])('%j is refused', (text) => {
    expect(parseMailAddress(text)).toBeUndefined();
  });
});

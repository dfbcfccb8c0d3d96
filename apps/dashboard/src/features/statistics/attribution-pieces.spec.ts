import { describe, expect, it } from '@jest/globals';

import { attributionPieces } from './attribution-pieces.js';

describe('whose data places are', () => {
  it('is said with a link to its maker and to its licence', () => {
    expect(attributionPieces('IP geolocation by DB-IP (https://db-ip.com), CC BY 4.0')).toEqual([
      { text: 'IP geolocation by DB-IP (' },
      { text: 'db-ip.com', href: 'https://db-ip.com' },
      { text: '), ' },
      { text: 'CC BY 4.0', href: 'https://creativecommons.org/licenses/by/4.0/' },
    ]);
  });

  it.each(['', 'Data of our own', 'See javascript:alert(1) or http://a.example'])(
    'leads nowhere but to https: "%s"',
    (line) => expect(attributionPieces(line)).toEqual(line === '' ? [] : [{ text: line }]),
  );
});

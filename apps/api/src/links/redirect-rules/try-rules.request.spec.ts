import { describe, expect, it } from '@jest/globals';

import { tryRulesRequest } from './try-rules.request.js';

describe('a visitor to try rules with', () => {
  it('is taken without spaces around what was typed, and with the country as rules name it', () => {
    const typed = { userAgent: ' curl/8 ', query: ' a=1 ', country: ' de ', city: ' Berlin ', address: ' 192.0.2.7 ' };
    expect(tryRulesRequest.parse(typed)).toEqual({
      ...{ userAgent: 'curl/8', query: 'a=1', country: 'DE', city: 'Berlin', address: '192.0.2.7' },
      ...{ acceptLanguage: '', date: null },
    });
    expect(tryRulesRequest.parse({ address: '2001:db8::7\n' }).address).toBe('2001:db8::7');
  });

  it('is nobody in particular when nothing is said', () => {
    const nothing = { userAgent: '', acceptLanguage: '', query: '', address: null, country: '', city: '', date: null };
    expect(tryRulesRequest.parse({})).toEqual(nothing);
  });

  it.each(['nowhere', '', '192.0.2', '192.0.2.7 192.0.2.8'])('is refused with the address %j', (address) => {
    expect(tryRulesRequest.safeParse({ address }).success).toBe(false);
  });
});

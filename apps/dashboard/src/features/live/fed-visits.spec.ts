import { describe, expect, it } from '@jest/globals';

import { type FedVisit, isOfScope } from './fed-visits.js';

const on = (domain: string | null) => ({ shortUrl: { domain } }) as Pick<FedVisit, 'shortUrl'>;

describe('a visit of the live feed', () => {
  it('is shown on the page of a link on the default domain only when it is of that domain', () => {
    expect(isOfScope(on(null), { shortCode: 'sale' })).toBe(true);
    expect(isOfScope(on('other.example'), { shortCode: 'sale' })).toBe(false);
  });

  it('is shown on the page of a link on another domain only when it is of that one', () => {
    const scope = { shortCode: 'sale', domain: 'other.example' };
    const shown = ['other.example', null, 'third.example'].filter((domain) => isOfScope(on(domain), scope));
    expect(shown).toEqual(['other.example']);
  });

  it('is shown of every domain where no link and no domain is looked at', () => {
    expect([null, 'other.example'].filter((domain) => !isOfScope(on(domain), {}))).toEqual([]);
    expect([null, 'a.example'].filter((domain) => isOfScope(on(domain), { domain: 'a.example' }))).toEqual([
      'a.example',
    ]);
  });
});

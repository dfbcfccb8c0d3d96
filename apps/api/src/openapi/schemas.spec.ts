import { describe, expect, it } from '@jest/globals';

import { createLinkRequest } from '../links/create-link/create-link.request.js';
import { EXAMPLES } from './examples.js';
import { SCHEMAS } from './schemas.js';

describe('the examples of the document', () => {
  it.each(Object.entries(EXAMPLES))('%s has its shape', (name, example) => {
    expect(SCHEMAS[name as keyof typeof SCHEMAS].safeParse(example).error).toBeUndefined();
  });
});

describe('the body of a creation', () => {
  it('treats null, blank and absent alike', () => {
    const empty = { customSlug: null, domain: null, title: null, tags: [], groupId: null };
    const given = { longUrl: 'https://example.com' };
    expect(createLinkRequest.parse(given)).toEqual({ ...given, ...empty });
    expect(createLinkRequest.parse({ ...given, customSlug: ' ', title: '', tags: null, domain: null })).toEqual({
      ...given,
      ...empty,
    });
  });
});

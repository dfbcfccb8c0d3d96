import { expect, it } from '@jest/globals';

import { toTagNames } from './tag-names.js';

it('names tags as the api stores them: lower case, composed, spaces as dashes, each once', () => {
  expect(toTagNames(['Spring', ' summer  sale ', 'SPRING', ' ', 'Cafe\u0301', 'a-b'])).toEqual([
    ...['spring', 'summer-sale', 'caf\u00e9', 'a-b'],
  ]);
});

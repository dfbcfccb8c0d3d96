import { describe, expect, it } from '@jest/globals';

import { placesLevel } from './places.js';

describe('places', () => {
  it.each([
    [[], 'country'],
    [['os=iOS', 'country!=DE'], 'country'],
    [['country=DE', 'country=FR'], 'country'],
    [['country=DE'], 'region'],
    [['country=DE', 'region=Bavaria, DE'], 'city'],
  ])('of %j are told apart by %s', (filters, level) => expect(placesLevel(filters)).toBe(level));
});

import { describe, expect, it } from '@jest/globals';

import { noVisits, VISIT_CLASSES, visitClassFromNumber, visitClassNumber } from './visit-class.js';

describe('visit classes', () => {
  it('keep their stored numbers for ever', () => {
    expect(VISIT_CLASSES.map(visitClassNumber)).toEqual([0, 1, 2, 3, 4]);
    expect([...VISIT_CLASSES]).toEqual(['human', 'bot', 'preview', 'prefetch', 'opted-out']);
    expect(() => visitClassFromNumber(5)).toThrow(RangeError);
  });

  it('are all present in an empty count', () => {
    expect(Object.keys(noVisits()).sort()).toEqual([...VISIT_CLASSES].sort());
  });
});

import { DEAD_LETTER_HEADERS } from './topics.js';
import { describe, expect, it } from '@jest/globals';

import { describeDeadLetter } from './dead-letter.js';

describe('describeDeadLetter', () => {
  it('reads the headers a consumer adds', () => {
    const letter = describeDeadLetter({
      key: Buffer.from('the-key'),
      value: Buffer.from('{'),
      headers: {
        [DEAD_LETTER_HEADERS.reason]: Buffer.from('not-json'),
        [DEAD_LETTER_HEADERS.step]: 'decodeVisit',
        [DEAD_LETTER_HEADERS.originalOffset]: [Buffer.from('42'), Buffer.from('43')],
      },
      timestampMs: Date.UTC(2026, 0, 2),
    });
    expect(letter).toMatchObject({
      time: '2026-01-02T00:00:00.000Z',
      reason: 'not-json',
      step: 'decodeVisit',
      originalOffset: '42',
      originalTopic: '?',
      key: 'the-key',
      sizeBytes: 1,
    });
  });

  it('lets nothing a stranger sent steer the terminal', () => {
    const letter = describeDeadLetter({
      key: Buffer.from('\u001b]0;owned\u0007\u202etxt'),
      value: null,
      headers: { [DEAD_LETTER_HEADERS.detail]: Buffer.from('x'.repeat(500)) },
      timestampMs: 0,
    });
    expect(letter.key).toBe('\ufffd]0;owned\ufffd\ufffdtxt');
    expect(letter.detail).toHaveLength(121);
    expect(letter.sizeBytes).toBe(0);
  });
});

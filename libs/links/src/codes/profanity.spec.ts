import { describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkCodes } from './link-codes.js';
import { isProfane } from './profanity.js';
import { SnowflakeCodes } from './snowflake-code.js';

const SECRET = 'x'.repeat(40);
const wanted = { custom: null, prefix: '', length: null };
const snowflakes = () => new Snowflakes({ current: () => 1 });

describe('a generated code', () => {
  it.each(['fuck', 'FuCk', 'xfUckx9', '5h1t', 'aS5b2cd', '2kB1tcHq', 'c0ck777'])('that reads %s is profane', (code) => {
    expect(isProfane(code)).toBe(true);
  });

  it.each(['bcdfghj', '7xKqPzR', 'kZ93mQp', 'docs', ''])('that reads %s is not', (code) => {
    expect(isProfane(code)).toBe(false);
  });

  it('S9: is drawn again when it is profane, with its prefix, too, unless its owner chose that word', () => {
    const draw = (prefix: string, given: string[]) => {
      const options = {
        codeStrategy: 'random' as const,
        secret: SECRET,
        makeRandomCode: () => given.shift() ?? 'none',
      };
      return new LinkCodes(snowflakes(), options).draw({ ...wanted, prefix }, 0).code;
    };
    expect(draw('', ['f4gg0t2', 'sh1tbcd', 'bcdfghj'])).toBe('bcdfghj');
    expect(draw('fu', ['ckbcdfg', 'bcdfghj'])).toBe('fubcdfghj');
    expect(draw('sex-', ['sh1tbcd', 'bcdfghj'])).toBe('sex-bcdfghj');
  });

  it('of a snowflake that is profane belongs to the next one: code and id stay a pair', () => {
    const codes = new LinkCodes(snowflakes(), { codeStrategy: 'snowflake', secret: SECRET });
    const pairs = Array.from({ length: 5_000 }, () => codes.draw(wanted, 0));
    expect(pairs.filter(({ code }) => isProfane(code))).toEqual([]);
    const decoder = new SnowflakeCodes(SECRET);
    expect(pairs.every(({ id, code }) => decoder.decode(code) === BigInt(id))).toBe(true);
    // Without the list some would be: the test would not notice if none ever were.
    const ids = snowflakes();
    const all = Array.from({ length: 5_000 }, () => decoder.encode(ids.next()));
    expect(all.filter(isProfane).length).toBeGreaterThan(0);
  });

  it('is taken as it is when its owner chose it', () => {
    const codes = new LinkCodes(snowflakes(), { codeStrategy: 'random', secret: SECRET });
    expect(codes.draw({ ...wanted, custom: 'shit' }, 0).code).toBe('shit');
  });
});

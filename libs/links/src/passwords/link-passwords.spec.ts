import { hashPassword } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { LinkPasswords } from './link-passwords.js';

const PASSWORD = 'an open sesame';

describe('passwords that visitors type', () => {
  it('are compared with what is remembered while PostgreSQL is silent and another link is guessed at', async () => {
    const hash = await hashPassword(PASSWORD);
    let isSilent = false;
    const query = () => (isSilent ? new Promise<never>(() => undefined) : Promise.resolve([{ hash }]));
    const passwords = new LinkPasswords({ query: query as never });
    const mark = (await passwords.markOf('1', 'none yet', PASSWORD)) ?? '';
    expect(mark).toMatch(/^[\da-f]{32}$/);
    isSilent = true;
    // One asks PostgreSQL, twenty wait for it.
    const guesses = Array.from({ length: 30 }, () => passwords.markOf('2', 'not remembered', 'a wrong one'));
    const refused = await Promise.allSettled(guesses.slice(21));
    expect(refused.map((one) => one.status === 'rejected' && (one.reason as { code: string }).code)).toEqual(
      Array<string>(9).fill('passwords-busy'),
    );
    // As many links as may be asked for at once, and one more.
    for (const id of ['3', '4']) void passwords.markOf(id, 'not remembered', 'a wrong one');
    expect(await passwords.markOf('5', mark, PASSWORD)).toBe(mark);
    expect(await passwords.markOf('5', mark, 'a wrong one')).toBeUndefined();
  });
});

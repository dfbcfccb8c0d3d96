import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[\w-]{43}$/;

/** 256 random bits, of sessions and of links that are used once. Kept is their hash: nobody can guess a part worth mentioning. */
export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

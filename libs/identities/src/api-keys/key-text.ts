import { createHash, randomInt } from 'node:crypto';

import { encodeBase62 } from '@hopcount/links';

const PREFIX = 'hc_live_';
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** 30 * log2(62) = 178 random bits. */
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const CHECKSUM_LIMIT = 62n ** BigInt(CHECKSUM_LENGTH);
const KEY = new RegExp(`^${PREFIX}[0-9a-zA-Z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key: prefix (secret scanners look for it), random part, checksum. */
export function makeKeyText(): string {
  let secret = '';
  for (let index = 0; index < SECRET_LENGTH; index++) secret += DIGITS[randomInt(DIGITS.length)] as string;
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether it is as long and made of the same digits, which is all that is told without a hash. */
export function looksLikeKey(text: string): boolean {
  return KEY.test(text);
}

/** Whether a text can be a key at all: a mistyped one is refused without asking the database. */
export function isKeyText(text: string): boolean {
  if (!looksLikeKey(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.slice(PREFIX.length + SECRET_LENGTH) === checksum(secret);
}

/**
 * What is stored and looked up. Argon2 is for passwords, which people choose: of 178 random bits nobody can try a part worth
 * mentioning however fast the hash is, and a slow one would cost every request.
 */
export function hashKeyText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What may be shown of a key, so that its owner knows which it is: 4 of its 30 random digits. */
export function prefixOf(text: string): string {
  return text.slice(0, PREFIX.length + 4);
}

function checksum(secret: string): string {
  const digest = createHash('sha256').update(`${PREFIX}${secret}`).digest().readBigUInt64BE(0);
  return encodeBase62(digest % CHECKSUM_LIMIT, CHECKSUM_LENGTH);
}

import { randomInt } from 'node:crypto';

import { foldCode } from './fold-code.js';

/**
 * Digits and consonants: without vowels no word appears by accident, without 0 O 1 l I nobody
 * mistypes one for another. 47 characters: 7 of them are 5 * 10^11 codes.
 */
export const RANDOM_CODE_ALPHABET = '23456789bcdfghjkmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ';
/** Where the case of letters does not matter: 28, of which `l` comes from `L`. Folding codes of the 47 would draw most letters twice as often. */
export const LOOSE_CODE_ALPHABET = [...new Set(foldCode(RANDOM_CODE_ALPHABET))].join('');
export const RANDOM_CODE_LENGTH = 7;
/** Above this share of collisions codes get one character more: each collision costs its creation another statement. */
export const MOST_COLLISIONS = 0.01;

/** A code from the CSPRNG (`randomInt` rejects, so every character is equally likely). */
export function randomCode(length = RANDOM_CODE_LENGTH, alphabet = RANDOM_CODE_ALPHABET): string {
  let code = '';
  for (let index = 0; index < length; index++) {
    code += alphabet[randomInt(alphabet.length)] as string;
  }
  return code;
}

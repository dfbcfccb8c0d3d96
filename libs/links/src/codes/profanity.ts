import profanity from 'leo-profanity';

/** Digits as people read them in a word. */
const READ_AS = 'oizeasgtbg';
const WORDS = profanity.list().filter((word) => /^[a-z]{3,}$/.test(word));
const SPELLINGS = new RegExp(WORDS.join('|'));

/**
 * Whether a generated code holds a word of the (English) list, in any letter case, with digits for letters. The few codes
 * that hold one by accident cost a second draw.
 */
export function isProfane(code: string): boolean {
  return SPELLINGS.test(code.toLowerCase().replace(/\d/g, (digit) => READ_AS[Number(digit)] as string));
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, BigInt(value)]));

/** Base62 with the digits `0-9a-zA-Z`, most significant first; padded with `0` to `minLength`. */
export function encodeBase62(value: bigint, minLength = 1): string {
  if (value < 0n) throw new RangeError(`Base62 holds no negative number: ${value}`);
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = (DIGITS[Number(rest % 62n)] as string) + text;
  return text.padStart(minLength, '0');
}

/** The number written in `text`; undefined for the empty text and for any other character. */
export function decodeBase62(text: string): bigint | undefined {
  if (text === '') return undefined;
  let value = 0n;
  for (const character of text) {
    const digit = VALUES.get(character);
    if (digit === undefined) return undefined;
    value = value * 62n + digit;
  }
  return value;
}

/** Longest text kept of each field, in UTF-16 code units; what is cut is named in `truncated`. */
export const TEXT_LIMITS = {
  domain: 253,
  code: 256,
  userAgent: 512,
  clientHint: 256,
  referrer: 1024,
  acceptLanguage: 256,
  utm: 256,
  purpose: 64,
  destination: 2048,
  route: 32,
  source: 64,
} as const;

/** Whether nobody sees anything of a text: spaces, control and format characters, half a surrogate pair. */
export function isBlank(text: string): boolean {
  return !SEEN.test(text);
}

const SEEN = /[^\s\p{Cc}\p{Cf}\p{Surrogate}]/u;

/** On every answer with a body that is no page for people: browsers take it for what it says, show it in no frame and run nothing in it. */
export const ANSWER_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** On every answer of an address that is reached by https; browsers must not be told over http. A year, of this host alone. */
export const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const;
const STRICT_LINE = `${STRICT_TRANSPORT.join(': ')}\r\n`;

/** The same as a line of a head, where no request says how it came: by what the setting of the public address says. */
export function strictTransportLine(publicAddress: string): string {
  return /^https\b/i.test(publicAddress) ? STRICT_LINE : '';
}

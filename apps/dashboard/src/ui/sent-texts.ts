/**
 * Texts that a field sent to the address, which it does not say yet, oldest first. The address changes some time after that, and may
 * skip what was sent meanwhile; a field that takes over its own text of before loses what was typed since.
 */
export type SentTexts = readonly string[];

/** @returns what is still on its way once the address says `value`; undefined: somebody else said it, and it is to be shown */
export function sentAfter(sent: SentTexts, value: string): SentTexts | undefined {
  const at = sent.lastIndexOf(value);
  return at === -1 ? undefined : sent.slice(at + 1);
}

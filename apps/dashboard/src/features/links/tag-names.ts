/**
 * Tags as they are stored, in the order typed: who types "Summer sale" finds and takes off `summer-sale`, too. The api does
 * the same with all it is given (`normalizeTags` in libs/links), and refuses those that are too long or too many.
 */
export function toTagNames(typed: readonly string[]): string[] {
  const names = typed.map((tag) => tag.normalize('NFC').trim().toLowerCase().replace(/\s+/gu, '-'));
  return [...new Set(names)].filter((name) => name !== '');
}

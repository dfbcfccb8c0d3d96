const SEPARATOR = '|';

/** Tags in one field: `a|b`, as JSON where that would not be read again as it is. */
export function joinTags(tags: readonly string[]): string {
  const isPlain = tags.every((tag) => !/[|,]/.test(tag)) && tags[0]?.startsWith('[') !== true;
  return isPlain ? tags.join(SEPARATOR) : JSON.stringify(tags);
}

/** Tags that are no JSON: ours, or of other programs, which write `a|b` or `a,b`. */
export function splitTags(text: string): string[] {
  const trimmed = text.trim();
  const separator = trimmed.includes(SEPARATOR) ? SEPARATOR : ',';
  return trimmed.split(separator).filter((tag) => tag.trim() !== '');
}

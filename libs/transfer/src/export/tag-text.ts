const SEPARATOR = '|';

/** Tags in one field: `a|b`, as JSON where that would not be read again as it is. */
export function joinTags(tags: readonly string[]): string {
  const isPlain = tags.every((tag) => !/[|,]/.test(tag)) && tags[0]?.startsWith('[') !== true;
  return isPlain ? tags.join(SEPARATOR) : JSON.stringify(tags);
}

/** Also of the exports of other programs, which write `a|b` or `a,b`. */
export function splitTags(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    const tags = parseList(trimmed);
    if (tags !== undefined) return tags;
  }
  const separator = trimmed.includes(SEPARATOR) ? SEPARATOR : ',';
  return trimmed.split(separator).filter((tag) => tag.trim() !== '');
}

function parseList(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((tag) => typeof tag === 'string') ? list : undefined;
  } catch {
    // No JSON: read as text.
    return undefined;
  }
}

/** Lists that a browser keeps for somebody, as JSON. */

/**
 * What is kept may be of another version, or of another program: what is not understood is left out.
 * @param toItem undefined where a value is none
 */
export function parseKept<Item>(
  text: string | null,
  atMost: number,
  toItem: (value: Record<string, unknown>) => Item | undefined,
): Item[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept
      .map((value: unknown) => toItem((value ?? {}) as Record<string, unknown>))
      .filter((item): item is NonNullable<typeof item> => item !== undefined)
      .slice(0, atMost);
  } catch {
    // Damaged, or of another version: the list begins anew.
    return [];
  }
}

/** @returns false where the browser keeps nothing */
export function writeKept(storage: Pick<Storage, 'setItem'>, key: string, list: readonly unknown[]): boolean {
  try {
    storage.setItem(key, JSON.stringify(list));
    return true;
  } catch {
    // The storage is full or forbidden: the caller is told.
    return false;
  }
}

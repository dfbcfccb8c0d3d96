/**
 * Undefined when the text is no absolute URL, or none relative to `base`. In place of `URL.canParse`, which Node 20 answers wrongly once it is
 * compiled (after some thousand calls): false for text with characters such as `ü` (one byte in memory, two in UTF-8).
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    // No URL.
    return undefined;
  }
}

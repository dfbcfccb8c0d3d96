/** @returns false where the browser does not allow it: without https, or unless somebody clicked */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Forbidden by the browser: the caller shows the text instead.
    return false;
  }
}

const UNRESERVED = /[\w.~-]/;

/**
 * A URL, or a part of one, for comparing with patterns: what servers take for the same reads the same. Lower case; letters,
 * digits and the like as they are and not as percent escapes; one slash for several; no dot behind the host.
 */
export function plainText(url: string): string {
  return url
    .replace(/%([0-7][0-9a-f])/gi, (escape, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16));
      return UNRESERVED.test(character) ? character : escape;
    })
    .toLowerCase()
    .replace(/([^:/])\/{2,}/g, '$1/')
    .replace(/^([a-z][a-z\d+.-]*:\/\/[^/?#:]*?)\.+(?=[:/?#]|$)/, '$1');
}

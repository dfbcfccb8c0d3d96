/** Cookies of one name looked at in one request; more can only be an attack on our CPU. */
const MAX_CANDIDATES = 3;

/** Values of the cookies of that name in a Cookie header, first three at most. */
export function cookiesNamed(name: string, header: string): string[] {
  const found: string[] = [];
  const prefix = `${name}=`;
  let at = header.indexOf(prefix);
  while (at !== -1 && found.length < MAX_CANDIDATES) {
    const end = header.indexOf(';', at);
    if (at === 0 || header[at - 1] === ' ' || header[at - 1] === ';') {
      found.push(header.slice(at + prefix.length, end === -1 ? undefined : end).trim());
    }
    at = end === -1 ? -1 : header.indexOf(prefix, end);
  }
  return found;
}

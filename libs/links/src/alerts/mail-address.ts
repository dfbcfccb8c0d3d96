const MAILTO = 'mailto:';

/**
 * One address that needs no quoting: letters, digits and a few other characters, then the name of a domain (RFC 5321: at most 64 and 254).
 * What a header, a list of recipients, an option of a program or a route (`%`, `!`) is made of is not among them.
 */
const ADDRESS =
  /^(?=[^@]{1,64}@)[a-z\d_][\w'+=~&-]*(?:\.[\w'+=~&-]+)*@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i;
const MOST_CHARACTERS = 254;

/** As accounts have it: in lower case. undefined: it is not one plain address. */
export function parseMailAddress(text: string): string | undefined {
  return text.length <= MOST_CHARACTERS && ADDRESS.test(text) ? text.toLowerCase() : undefined;
}

/** As it is stored where other alerts have a URL. */
export function mailDestination(address: string): string {
  return MAILTO + address;
}

/** undefined: messages are posted there. */
export function mailAddressOf(destination: string): string | undefined {
  return destination.startsWith(MAILTO) ? destination.slice(MAILTO.length) : undefined;
}

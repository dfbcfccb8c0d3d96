/**
 * Names as they are kept: labels joined by dots, the top one first (`com.example.www`). Byte order (`COLLATE "C"`) then puts a
 * name's descendants beside each other, and labels are compared whole: `evil-example.com` is not below `example.com`.
 */

/** The one root all addresses are below: they have no hierarchy (`~ip.192-0-2-7`, `~ip.2001:db8::1`). */
export const ADDRESS_ROOT = '~ip';
/** Stands for a host that cannot be read, so that sums over hosts are the sums over visits. No host is named so. */
export const UNKNOWN_HOST = '~unknown';
/** Child of a name with too many children; holds what the further ones count. */
export const REST_LABEL = '~rest';

/** `www.example.com` → `com.example.www`, and back. */
export function reverseLabels(name: string): string {
  let reversed = '';
  let end = name.length;
  for (let dot = name.lastIndexOf('.'); dot !== -1; dot = name.lastIndexOf('.', end - 1)) {
    reversed += `${name.slice(dot + 1, end)}.`;
    end = dot;
  }
  return reversed + name.slice(0, end);
}

/** @param address as in a URL: `192.0.2.7`, `[2001:db8::1]` */
export function reversedAddress(address: string): string {
  const label = address.startsWith('[') ? address.slice(1, -1) : address.replaceAll('.', '-');
  return `${ADDRESS_ROOT}.${label}`;
}

/** The host as people write it; what is no host (`~unknown`, `~ip`) as it is. */
export function asciiOf(reversed: string): string {
  if (!reversed.startsWith(`${ADDRESS_ROOT}.`)) return reverseLabels(reversed);
  const label = reversed.slice(ADDRESS_ROOT.length + 1);
  if (label === REST_LABEL) return `${REST_LABEL}.${ADDRESS_ROOT}`;
  return label.includes(':') ? `[${label}]` : label.replaceAll('-', '.');
}

/** Undefined: at the top. */
export function parentOf(reversed: string): string | undefined {
  const dot = reversed.lastIndexOf('.');
  return dot === -1 ? undefined : reversed.slice(0, dot);
}

/** From the parent up to the top, the name itself left out. */
export function ancestorsOf(reversed: string): string[] {
  const ancestors: string[] = [];
  for (let above = parentOf(reversed); above !== undefined; above = parentOf(above)) ancestors.push(above);
  return ancestors;
}

export function isBelow(reversed: string, ancestor: string): boolean {
  return reversed.length > ancestor.length && reversed[ancestor.length] === '.' && reversed.startsWith(ancestor);
}

/** Of the names below one, in byte order: `from <= name AND name < before`. */
export function rangeBelow(reversed: string): { from: string; before: string } {
  return { from: `${reversed}.`, before: `${reversed}/` };
}

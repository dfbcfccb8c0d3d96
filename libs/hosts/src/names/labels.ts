import { REST_HOST } from '@hopcount/contracts';

/**
 * Names as they are kept: labels joined by dots, the top one first (`com.example.www`). Byte order (`COLLATE "C"`) then puts a
 * name's descendants beside each other, and labels are compared whole: `evil-example.com` is not below `example.com`.
 */

/** The one root all addresses are below: they have no hierarchy (`~ip.192-0-2-7`, `~ip.2001:db8::1`). */
export const ADDRESS_ROOT = '~ip';
/** And of apps, which refer visitors by the name of their package (`~app.com-google-android-gm`): it is none of the DNS. */
export const APP_ROOT = '~app';
/** An app, as visits have it: `android-app://com.google.android.gm`. */
export const APP_SCHEME = 'android-app://';

/** `www.example.com` → `com.example.www`, and back. */
export function reverseLabels(name: string): string {
  let reversed = '';
  let end = name.length;
  for (let dot = name.lastIndexOf('.'); dot !== -1;) {
    reversed += `${name.slice(dot + 1, end)}.`;
    end = dot;
    // Before the first character lastIndexOf() would look at that.
    dot = end === 0 ? -1 : name.lastIndexOf('.', end - 1);
  }
  return reversed + name.slice(0, end);
}

/** @param address as in a URL: `192.0.2.7`, `[2001:db8::1]` */
export function reversedAddress(address: string): string {
  const label = address.startsWith('[') ? address.slice(1, -1) : address.replaceAll('.', '-');
  return `${ADDRESS_ROOT}.${label}`;
}

/** @param app as visits have it */
export function reversedApp(app: string): string {
  return `${APP_ROOT}.${app.slice(APP_SCHEME.length).replaceAll('.', '-')}`;
}

/** The host as people write it, an app as visits have it; what is no host (`~unknown`, `~ip`) as it is. */
export function asciiOf(reversed: string): string {
  const dot = reversed.indexOf('.');
  const root = dot === -1 ? undefined : reversed.slice(0, dot);
  const label = reversed.slice(dot + 1);
  if ((root !== ADDRESS_ROOT && root !== APP_ROOT) || label === REST_HOST) return reverseLabels(reversed);
  if (root === APP_ROOT) return APP_SCHEME + label.replaceAll('-', '.');
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

import { UNKNOWN_HOST } from '@hopcount/contracts';

const ADDRESS = /^\[|^[0-9.]+$/;
/** A referrer that is an app: its package has the order of a name already, and is none of the DNS. */
const APP = 'android-app://';
/** Labels told apart. Each ancestor is a row: a client would have 125 of them for one visit. */
const MOST_LABELS = 8;
const KEPT = 50_000;
const names = new Map<string, string>();

/**
 * A host as visits have it → the name it is counted by: labels reversed, the first 8 of them; addresses below `~ip`, apps below `~app`.
 * As host_name() of PostgreSQL.
 */
export function hostName(host: string): string {
  let name = names.get(host);
  if (name === undefined) {
    if (names.size >= KEPT) names.clear();
    names.set(host, (name = read(host)));
  }
  return name;
}

/** No client makes a name of ours: they begin with `~`, which no host of the DNS has. */
function read(host: string): string {
  if (host === '' || host.includes('~')) return UNKNOWN_HOST;
  if (host.startsWith(APP)) return `~app.${host.slice(APP.length).replaceAll('.', '-')}`;
  if (ADDRESS.test(host)) return `~ip.${host.startsWith('[') ? host.slice(1, -1) : host.replaceAll('.', '-')}`;
  return host.split('.').reverse().slice(0, MOST_LABELS).join('.');
}

/** null: it is at the top. As host_parent() of PostgreSQL. */
export function hostParent(name: string): string | null {
  const end = name.lastIndexOf('.');
  return end === -1 ? null : name.slice(0, end);
}

import { UNKNOWN_HOST } from '@hopcount/contracts';

import { APP_SCHEME, reversedAddress, reversedApp, reverseLabels } from './labels.js';

const ADDRESS = /^\[|^[0-9.]+$/;
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
  if (host.startsWith(APP_SCHEME)) return reversedApp(host);
  return ADDRESS.test(host) ? reversedAddress(host) : reverseLabels(host).split('.', MOST_LABELS).join('.');
}

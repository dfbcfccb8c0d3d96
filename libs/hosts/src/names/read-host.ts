import { UNKNOWN_HOST } from '@hopcount/contracts';

import { APP_SCHEME, reversedApp, reverseLabels } from './labels.js';
import { type HostRefusal, normaliseHost, WEB_ADDRESS } from './normalise-host.js';

/** A host of a visit → its host as the ledger keeps it; `~unknown` where none can be read. */
export function createReadHost() {
  return function readHost(text: string): string {
    const host = normaliseHost(text);
    return 'refused' in host ? UNKNOWN_HOST : host.ascii;
  };
}

/** A URL that visitors are sent to → its host. `tel:112` would read as a host and its port: only addresses of the web have one. */
export function targetHostOf(url: string, readHost: ReturnType<typeof createReadHost>): string {
  return WEB_ADDRESS.test(url) ? readHost(url) : UNKNOWN_HOST;
}

/** What is no host but counted as one: `~unknown`, `~rest.example.com`. */
const OURS = /^[a-z0-9_.:-]*~[a-z0-9_.:~-]*$/;
const APP = new RegExp(`^${APP_SCHEME}[a-z0-9_.]+$`);
const LONGEST = 2_048;

/** What somebody asks for → the name it is counted by. */
export function parseHostName(text: string): { name: string } | { refused: HostRefusal } {
  if (text.length > LONGEST) return { refused: 'too-long' };
  if (OURS.test(text)) return { name: reverseLabels(text) };
  if (APP.test(text)) return { name: reversedApp(text) };
  const host = normaliseHost(text);
  return 'refused' in host ? host : { name: host.reversed };
}

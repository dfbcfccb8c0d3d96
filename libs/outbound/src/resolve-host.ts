import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

import { failed, refused } from './outcomes.js';

export interface HostAddress {
  address: string;
  family: 4 | 6;
}

export interface ResolveOptions {
  isAllowed: (address: string) => boolean;
  signal: AbortSignal;
  /** `address:port` of the DNS servers to ask; default: those of the machine. */
  dnsServers?: readonly string[] | undefined;
}

const DNS_TRY_MS = 1_500;
const DNS_TRIES = 2;
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * The one address of a URL's host that may be connected to. The DNS is asked here and nowhere else, once for each
 * family: what is judged is what the socket gets, so a name that answers otherwise a moment later gains nothing. One
 * forbidden address among many is enough to refuse. Neither the hosts file nor search domains are looked at.
 * @throws AppError `outbound-refused` (private-address, unknown-host) or `outbound-failed` (dns)
 */
export async function resolveHost(hostname: string, options: ResolveOptions): Promise<HostAddress> {
  const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ''), options);
  if (!addresses.every(options.isAllowed)) throw refused('private-address');
  const [address = ''] = addresses;
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}

/** IPv4 first: where both are there it is the one that works. */
async function addressesOf(host: string, { signal, dnsServers }: ResolveOptions): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const resolver = new Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES });
  if (dnsServers !== undefined) resolver.setServers(dnsServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    signal.throwIfAborted();
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    const isUnknown = errors.every((error) => NO_SUCH_NAME.has((error as NodeJS.ErrnoException).code ?? ''));
    throw isUnknown ? refused('unknown-host') : failed('dns', errors[0]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

import { isIP } from 'node:net';

import { isPrivateAddress, isPublicHost } from '@hopcount/runtime';

import { failed, refused } from './outcomes.js';
import { type FetchedPage, requestPage } from './request-page.js';
import { type HostAddress, resolveHost } from './resolve-host.js';

export type { FetchedPage } from './request-page.js';

export interface OutboundOptions {
  userAgent: string;
  /** Private addresses and any port may be asked, too: for intranets and local trials. */
  allowPrivate: boolean;
  /** From the first question to the DNS to the last byte, redirects included. */
  timeoutMs?: number;
  /** `address:port` of DNS servers; default: those of the machine. */
  dnsServers?: readonly string[];
  /** For specs, whose servers are on this machine; their names (`.test`) are not judged then. */
  isPublicAddress?: (address: string) => boolean;
  ports?: ReadonlySet<number>;
}

export interface OutboundRequest {
  accept: string;
  /** Of an installation whose owner gave them to us. */
  credentials?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export interface OutboundPost {
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
  signal?: AbortSignal;
}

/** Of the answer to a post nothing but its status is of use. */
const MAX_ANSWER_BYTES = 4_096;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 512 * 1_024;
const MAX_REDIRECTS = 3;
const PORTS: ReadonlySet<number> = new Set([80, 443]);

/**
 * The only way requests leave for addresses that strangers chose (targets, pages they lead to). Each hop is judged
 * anew: scheme, port, and every address of the host; the socket goes to the very address that was judged.
 */
export class OutboundFetcher {
  constructor(private readonly options: OutboundOptions) {}

  /**
   * The page at an address, whatever its status, at most 512 KiB of it.
   * `credentials` are headers for the origin of the address alone: where a redirect leads elsewhere they are not sent.
   * @throws AppError `outbound-refused`, `outbound-failed` (retryable) with a reason; the signal's reason when it aborts
   */
  get(address: string, { accept, credentials = {}, signal }: OutboundRequest): Promise<FetchedPage> {
    return this.#inTime(signal, (ending) => this.#follow(address, { accept, credentials }, ending));
  }

  /**
   * Posts JSON to an address; no redirect is followed. @returns the status of the answer
   * @throws as get()
   */
  post(address: string, { headers, body, signal }: OutboundPost): Promise<number> {
    return this.#inTime(signal, async (ending) => {
      const url = this.#judge(address);
      const host = await this.#hostOf(url, ending);
      const all = {
        ...headers,
        ...{ 'user-agent': this.options.userAgent, 'content-type': 'application/json', connection: 'close' },
        ...{ 'content-length': String(Buffer.byteLength(body)), 'accept-encoding': 'identity' },
      };
      const limits = { maxBytes: MAX_ANSWER_BYTES, signal: ending };
      const { status } = await requestPage(url, host, all, limits, { method: 'POST', body });
      return status;
    });
  }

  async #inTime<Answer>(
    signal: AbortSignal | undefined,
    work: (ending: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(failed('timeout')), this.options.timeoutMs ?? TIMEOUT_MS);
    const end = () => ending.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    try {
      signal?.throwIfAborted();
      return await work(ending.signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  async #follow(address: string, { accept, credentials }: OutboundRequest, signal: AbortSignal): Promise<FetchedPage> {
    const { userAgent } = this.options;
    const headers = { 'user-agent': userAgent, accept, 'accept-encoding': 'identity', connection: 'close' };
    const { origin } = URL.parse(address) ?? {};
    let current = address;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const url = this.#judge(current);
      const host = await this.#hostOf(url, signal);
      const sent = url.origin === origin ? { ...headers, ...credentials } : headers;
      const answer = await requestPage(url, host, sent, { maxBytes: MAX_BYTES, signal });
      if (!('location' in answer)) return answer;
      const next = URL.parse(answer.location, url);
      if (next === null) throw refused('redirects');
      current = next.href;
    }
    throw refused('redirects');
  }

  #hostOf(url: URL, signal: AbortSignal): Promise<HostAddress> {
    const isAllowed = (found: string) => this.#isAllowed(found);
    return resolveHost(url.hostname, { isAllowed, signal, dnsServers: this.options.dnsServers });
  }

  /** Before anything is asked, also the DNS. */
  #judge(address: string): URL {
    const url = URL.parse(address);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw refused('scheme');
    if (url.username !== '' || url.password !== '') throw refused('userinfo');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (!this.options.allowPrivate && !(this.options.ports ?? PORTS).has(port)) throw refused('port');
    if (!this.#isAllowedName(url.hostname)) throw refused('private-name');
    return url;
  }

  /** An address instead of a name is judged with those of names. */
  #isAllowedName(host: string): boolean {
    if (this.options.allowPrivate || this.options.isPublicAddress !== undefined) return true;
    return isIP(host.replace(/^\[|\]$/g, '')) !== 0 || isPublicHost(host);
  }

  #isAllowed(address: string): boolean {
    if (this.options.allowPrivate) return true;
    return (this.options.isPublicAddress ?? ((found) => !isPrivateAddress(found)))(address);
  }
}

import type { IncomingMessage } from 'node:http';

import { clientAddress, type ClientAddress, forwardedScheme } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import type { GatewayConfig } from '../gateway.config.js';
import { decodeHeader } from '../visits/clean-text.js';
import { normaliseHost } from './request-target.js';

type Settings = Pick<GatewayConfig, 'trustedProxies' | 'visitorIp' | 'defaultDomain' | 'publicScheme'>;

const CACHED_HOSTS = 2_000;
const CACHED_ADDRESSES = 20_000;

/** Which host was asked, over what, and from where; headers of proxies are believed from trusted peers only. */
export class RequestOrigin {
  readonly #hosts = new LRUCache<string, string>({ max: CACHED_HOSTS });
  readonly #directAddresses = new LRUCache<string, ClientAddress>({ max: CACHED_ADDRESSES });

  constructor(private readonly settings: Settings) {}

  host(request: IncomingMessage): string {
    const given = request.headers.host;
    if (given === undefined) return this.settings.defaultDomain;
    const scheme = this.scheme(request);
    // With the space: else https and `a.test` would be the key of http and `sa.test`.
    const cacheKey = `${scheme} ${given}`;
    const cached = this.#hosts.get(cacheKey);
    if (cached !== undefined) return cached;
    const host = normaliseHost(decodeHeader(given), scheme) ?? this.settings.defaultDomain;
    if (given.length < 300) this.#hosts.set(cacheKey, host);
    return host;
  }

  scheme(request: IncomingMessage): 'http' | 'https' {
    const forwarded = request.headers['x-forwarded-proto'];
    const { publicScheme, trustedProxies } = this.settings;
    if (forwarded === undefined) return publicScheme;
    return forwardedScheme(request.socket.remoteAddress, forwarded, trustedProxies) ?? publicScheme;
  }

  shownIp(address: ClientAddress | undefined, doNotTrack: boolean): string | null {
    const showWhole = this.settings.visitorIp === 'full' && !doNotTrack;
    return (showWhole ? address?.address : address?.anonymised) ?? null;
  }

  address(request: IncomingMessage): ClientAddress | undefined {
    const peer = request.socket.remoteAddress;
    const { trustedProxies } = this.settings;
    const forwarded = trustedProxies.length === 0 ? undefined : request.headers['x-forwarded-for'];
    if (forwarded !== undefined) return clientAddress(peer, String(forwarded), trustedProxies);
    if (peer === undefined) return undefined;
    const cached = this.#directAddresses.get(peer);
    if (cached !== undefined) return cached;
    const address = clientAddress(peer, undefined, trustedProxies);
    if (address !== undefined) this.#directAddresses.set(peer, address);
    return address;
  }
}

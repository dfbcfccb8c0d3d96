import { clientAddress, type ClientAddress, isTrustedPeer, schemeOf } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import type { RedirectRequest } from '../front/exchange.js';
import type { GatewayConfig } from '../gateway.config.js';
import { decodeHeader } from '../visits/clean-text.js';
import { normaliseHost } from './request-target.js';

type Settings = Pick<GatewayConfig, 'trustedProxies' | 'visitorIp' | 'defaultDomain' | 'publicScheme'>;

const CACHED_HOSTS = 2_000;
const CACHED_PEERS = 20_000;

/** Who holds the other end of a connection. */
interface Peer {
  isTrusted: boolean;
  address: ClientAddress | undefined;
}

/** Which host was asked, over what, and from where; headers of proxies are believed from trusted peers only. */
export class RequestOrigin {
  readonly #hosts = {
    http: new LRUCache<string, string>({ max: CACHED_HOSTS }),
    https: new LRUCache<string, string>({ max: CACHED_HOSTS }),
  };
  readonly #peers = new LRUCache<string, Peer>({ max: CACHED_PEERS });

  constructor(private readonly settings: Settings) {}

  host(request: RedirectRequest): string {
    const given = request.headers.host;
    if (given === undefined) return this.settings.defaultDomain;
    const scheme = this.scheme(request);
    const cached = this.#hosts[scheme].get(given);
    if (cached !== undefined) return cached;
    const host = normaliseHost(decodeHeader(given), scheme) ?? this.settings.defaultDomain;
    if (given.length < 300) this.#hosts[scheme].set(given, host);
    return host;
  }

  scheme(request: RedirectRequest): 'http' | 'https' {
    const forwarded = request.headers['x-forwarded-proto'];
    const { publicScheme } = this.settings;
    if (forwarded === undefined || this.#peerOf(request)?.isTrusted !== true) return publicScheme;
    return schemeOf(forwarded) ?? publicScheme;
  }

  shownIp(address: ClientAddress | undefined, doNotTrack: boolean): string | null {
    const showWhole = this.settings.visitorIp === 'full' && !doNotTrack;
    return (showWhole ? address?.address : address?.anonymised) ?? null;
  }

  address(request: RedirectRequest): ClientAddress | undefined {
    const peer = this.#peerOf(request);
    const forwarded = peer?.isTrusted === true ? request.headers['x-forwarded-for'] : undefined;
    if (forwarded === undefined) return peer?.address;
    const { remoteAddress } = request.socket;
    return (request.forwardedFor ??= clientAddress(remoteAddress, String(forwarded), this.settings.trustedProxies));
  }

  #peerOf({ socket: { remoteAddress } }: RedirectRequest): Peer | undefined {
    if (remoteAddress === undefined) return undefined;
    let peer = this.#peers.get(remoteAddress);
    if (peer === undefined) {
      const { trustedProxies } = this.settings;
      const isTrusted = isTrustedPeer(remoteAddress, trustedProxies);
      peer = { isTrusted, address: clientAddress(remoteAddress, undefined, trustedProxies) };
      this.#peers.set(remoteAddress, peer);
    }
    return peer;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';

import { eventIdTimeMs } from '@hopcount/contracts';
import type { LinkResolver, Resolution } from '@hopcount/links';
import { clientAddress, type ClientAddress, isTrustedPeer, UuidV7Source } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import type { GatewayConfig } from '../gateway.config.js';
import type { GatewayTally } from '../gateway.metrics.js';
import { describeOrphan, orphanTypeOf } from '../orphans/describe-orphan.js';
import type { OrphanPublisher } from '../orphans/orphan-publisher.js';
import { asksNotToBeTracked, describeVisit } from '../visits/describe-visit.js';
import type { Visitor, VisitorIdentifier } from '../visits/identify-visitor.js';
import type { VisitPublisher } from '../visits/visit-publisher.js';
import { orphanRecord, visitRecord } from '../visits/visit-record.js';
import { decideRedirect, type RedirectDecision } from './decide-redirect.js';
import { type Page, PAGES } from './pages.js';
import { normaliseHost, readRequestTarget, type RequestTarget } from './request-target.js';

export interface RedirectParts {
  resolver: LinkResolver;
  visitors: VisitorIdentifier;
  publisher: VisitPublisher;
  orphans: Pick<OrphanPublisher, 'admit' | 'offer'>;
  tally: GatewayTally;
  /** Once draining, every answer closes its connection: the listener is gone, so must its clients be. */
  health: { readonly isDraining: boolean };
  /** Name of this process life, in every event. */
  source: string;
}

type Settings = Pick<
  GatewayConfig,
  'trustedProxies' | 'visitorIp' | 'defaultDomain' | 'publicScheme' | 'visitDurabilityFailure'
>;
type Redirect = RedirectDecision & { outcome: 'redirect' };

const CACHED_HOSTS = 2_000;
const CACHED_ADDRESSES = 20_000;

/**
 * One request: find the link, describe the visit, make it durable, answer. Written against Node's
 * request and response, with caches for all that repeats: this is the path every visitor waits for.
 */
export class RedirectHandler {
  readonly #eventIds = new UuidV7Source();
  readonly #hosts = new LRUCache<string, string>({ max: CACHED_HOSTS });
  readonly #directAddresses = new LRUCache<string, ClientAddress>({ max: CACHED_ADDRESSES });
  /** Decisions by resolution: the memory cache hands out the same object until the link changes. */
  readonly #decisions = new WeakMap<Resolution, RedirectDecision>();

  constructor(
    private readonly parts: RedirectParts,
    private readonly settings: Settings,
  ) {}

  handle(request: IncomingMessage, response: ServerResponse): void {
    const asked = readRequestTarget(request.url ?? '/');
    const { code } = asked;
    if (code === undefined) return this.#notFound(request, response, code);
    const host = this.#host(request);
    const known = this.parts.resolver.peek(host, code);
    if (known !== undefined) return this.#decide(request, response, known, asked);
    this.parts.resolver.resolve(host, code).then(
      (resolution) => this.#decide(request, response, resolution, asked),
      () => this.#sendPage(request, response, PAGES.unavailable),
    );
  }

  #decide(request: IncomingMessage, response: ServerResponse, resolution: Resolution, asked: RequestTarget): void {
    let decision = this.#decisions.get(resolution);
    if (decision === undefined) {
      decision = decideRedirect(resolution);
      this.#decisions.set(resolution, decision);
    }
    if (decision.outcome === 'not-found') return this.#notFound(request, response, asked.code);
    if (request.method === 'HEAD') return this.#sendRedirect(response, ['location', decision.location]);
    this.#count(request, response, decision, asked.query);
  }

  #count(request: IncomingMessage, response: ServerResponse, decision: Redirect, query: string): void {
    const startedMs = performance.now();
    const eventId = this.#eventIds.next();
    const { visit, visitor } = this.#visitOf(request, eventId, decision, query);
    const record = visitRecord(visit, request.headers['traceparent'] as string | undefined);
    const headers = ['location', decision.location, 'x-visit-id', eventId];
    if (visitor.setCookie !== undefined) headers.push('set-cookie', visitor.setCookie);
    this.parts.publisher.accept(record).then(
      (durability) => {
        this.#sendRedirect(response, headers);
        this.parts.tally.accepted(durability, (performance.now() - startedMs) / 1_000);
      },
      () => this.#refuse(request, response, decision),
    );
  }

  #visitOf(request: IncomingMessage, eventId: string, { link, location }: Redirect, query: string) {
    const { headers } = request;
    const address = this.#address(request);
    const doNotTrack = asksNotToBeTracked(headers);
    const visitor: Visitor = this.parts.visitors.identify({
      address,
      userAgent: headers['user-agent'] ?? '',
      acceptLanguage: headers['accept-language'] ?? '',
      cookieHeader: headers.cookie,
      domain: link.domain,
      doNotTrack,
      secure: this.#scheme(request) === 'https',
      nowMs: eventIdTimeMs(eventId),
    });
    const visit = describeVisit({
      eventId,
      link,
      destination: location,
      visitorId: visitor.visitorId,
      clientIp: this.#shownIp(address, doNotTrack),
      clientIpHash: visitor.clientIpHash,
      doNotTrack,
      headers,
      query,
      source: this.parts.source,
    });
    return { visit, visitor };
  }

  /** Answers first; then the request is recorded as an orphan visit, if it is within what may be recorded. */
  #notFound(request: IncomingMessage, response: ServerResponse, code: string | undefined): void {
    this.#sendPage(request, response, PAGES.notFound);
    if (request.method !== 'GET' || !this.parts.orphans.admit()) return;
    const { headers, url = '/' } = request;
    const address = this.#address(request);
    const doNotTrack = asksNotToBeTracked(headers);
    const orphan = describeOrphan({
      eventId: this.#eventIds.next(),
      type: orphanTypeOf(url, code),
      domain: this.#host(request),
      url,
      clientIp: this.#shownIp(address, doNotTrack),
      clientIpHash: doNotTrack ? null : this.parts.visitors.hashAddress(address),
      doNotTrack,
      headers,
      source: this.parts.source,
    });
    this.parts.orphans.offer(orphanRecord(orphan, headers['traceparent'] as string | undefined));
  }

  /** Neither Kafka nor the disk took the visit. */
  #refuse(request: IncomingMessage, response: ServerResponse, decision: Redirect): void {
    if (this.settings.visitDurabilityFailure === 'refuse') {
      this.parts.tally.uncounted('refused');
      return this.#sendPage(request, response, PAGES.unavailable);
    }
    this.parts.tally.uncounted('answered');
    this.#sendRedirect(response, ['location', decision.location]);
  }

  #sendRedirect(response: ServerResponse, headers: string[]): void {
    headers.push('cache-control', 'private, no-store', 'content-length', '0');
    if (this.parts.health.isDraining) headers.push('connection', 'close');
    response.writeHead(302, headers);
    response.end();
    this.parts.tally.answered(302);
  }

  #sendPage(request: IncomingMessage, response: ServerResponse, page: Page): void {
    response.writeHead(
      page.status,
      this.parts.health.isDraining ? [...page.headers, 'connection', 'close'] : page.headers,
    );
    response.end(request.method === 'HEAD' ? undefined : page.body);
    this.parts.tally.answered(page.status);
  }

  #host(request: IncomingMessage): string {
    const given = request.headers.host;
    if (given === undefined) return this.settings.defaultDomain;
    const scheme = this.#scheme(request);
    // With the space: else https and `a.test` would be the key of http and `sa.test`.
    const cacheKey = `${scheme} ${given}`;
    const cached = this.#hosts.get(cacheKey);
    if (cached !== undefined) return cached;
    const host = normaliseHost(given, scheme) ?? this.settings.defaultDomain;
    if (given.length < 300) this.#hosts.set(cacheKey, host);
    return host;
  }

  #scheme(request: IncomingMessage): 'http' | 'https' {
    const forwarded = request.headers['x-forwarded-proto'];
    if (typeof forwarded !== 'string') return this.settings.publicScheme;
    if (!isTrustedPeer(request.socket.remoteAddress, this.settings.trustedProxies)) {
      return this.settings.publicScheme;
    }
    // The nearest proxy writes last.
    const nearest = forwarded.slice(forwarded.lastIndexOf(',') + 1).trim();
    return nearest.toLowerCase() === 'https' ? 'https' : 'http';
  }

  #shownIp(address: ClientAddress | undefined, doNotTrack: boolean): string | null {
    const showWhole = this.settings.visitorIp === 'full' && !doNotTrack;
    return (showWhole ? address?.address : address?.anonymised) ?? null;
  }

  #address(request: IncomingMessage): ClientAddress | undefined {
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

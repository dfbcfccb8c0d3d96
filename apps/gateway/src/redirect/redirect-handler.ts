import type { IncomingMessage, ServerResponse } from 'node:http';

import { eventIdTimeMs } from '@hopcount/contracts';
import type { LinkResolver, Resolution } from '@hopcount/links';
import { UuidV7Source } from '@hopcount/runtime';

import type { GatewayConfig } from '../gateway.config.js';
import type { GatewayTally } from '../gateway.metrics.js';
import { describeOrphan, orphanTypeOf, pathOf } from '../orphans/describe-orphan.js';
import type { OrphanPublisher } from '../orphans/orphan-publisher.js';
import { asksNotToBeTracked, describeVisit } from '../visits/describe-visit.js';
import type { Visitor, VisitorIdentifier, VisitorRequest } from '../visits/identify-visitor.js';
import type { VisitPublisher } from '../visits/visit-publisher.js';
import { orphanRecord, visitRecord } from '../visits/visit-record.js';
import { type CompiledRedirect, compileRedirect, NOT_CACHED, type Pixel, type Redirect } from './decide-redirect.js';
import type { NotFoundTargets } from './not-found-targets.js';
import { type Page, PAGES } from './pages.js';
import type { Places } from './places.js';
import type { RequestOrigin } from './request-origin.js';
import { readRequestTarget, type RequestTarget } from './request-target.js';
import { VisitorFacts, type VisitorSenses } from './visitor-facts.js';

export interface RedirectParts {
  resolver: LinkResolver;
  visitors: VisitorIdentifier;
  publisher: VisitPublisher;
  orphans: Pick<OrphanPublisher, 'admit' | 'offer'>;
  notFound: Pick<NotFoundTargets, 'locationFor'>;
  tally: GatewayTally;
  /** For links with rules. */
  places: Pick<Places, 'load'>;
  senses: VisitorSenses;
  /** Once draining, every answer closes its connection: the listener is gone, so must its clients be. */
  health: { readonly isDraining: boolean };
  /** Name of this process life, in every event. */
  source: string;
}

type Sent = Pick<Redirect, 'status' | 'location' | 'cacheControl'>;
type Settings = Pick<GatewayConfig, 'visitDurabilityFailure' | 'targetSchemes'>;

/**
 * One request: find the link, describe the visit, make it durable, answer. Written against Node's
 * request and response, with caches for all that repeats: this is the path every visitor waits for.
 */
export class RedirectHandler {
  readonly #eventIds = new UuidV7Source();
  /** By resolution: the memory cache hands out the same object until the link changes. */
  readonly #compiled = new WeakMap<Resolution, CompiledRedirect>();

  constructor(
    private readonly parts: RedirectParts,
    private readonly origin: RequestOrigin,
    private readonly settings: Settings,
  ) {}

  handle(request: IncomingMessage, response: ServerResponse): void {
    const asked = readRequestTarget(request.url ?? '/');
    const { code } = asked;
    if (code === undefined) return this.#notFound(request, response, asked);
    const host = this.origin.host(request);
    const known = this.parts.resolver.peek(host, code);
    if (known !== undefined) return this.#decide(request, response, known, asked);
    this.parts.resolver.resolve(host, code).then(
      (resolution) => this.#decide(request, response, resolution, asked),
      () => this.#sendPage(request, response, PAGES.unavailable),
    );
  }

  /** A defect that one link or request brings out answers 503; it must not end the process, which all others need. */
  #decide(request: IncomingMessage, response: ServerResponse, resolution: Resolution, asked: RequestTarget): void {
    try {
      this.#decideOrThrow(request, response, resolution, asked);
    } catch {
      if (response.headersSent) response.destroy();
      else this.#sendPage(request, response, PAGES.unavailable);
    }
  }

  #decideOrThrow(
    request: IncomingMessage,
    response: ServerResponse,
    resolution: Resolution,
    asked: RequestTarget,
  ): void {
    let compiled = this.#compiled.get(resolution);
    if (compiled === undefined) {
      compiled = compileRedirect(resolution, this.settings.targetSchemes);
      this.#compiled.set(resolution, compiled);
    }
    const loading = compiled.needsPlace ? this.parts.places.load() : undefined;
    if (loading !== undefined) return void loading.then(() => this.#decide(request, response, resolution, asked));
    const nowMs = Date.now();
    const decision = compiled.decide(asked, nowMs, () => this.#factsOf(request, resolution, asked.query, nowMs));
    if (decision.outcome === 'not-found') return this.#notFound(request, response, asked);
    if (request.method === 'HEAD') return this.#answer(request, response, decision);
    this.#count(request, response, decision, asked.query);
  }

  #factsOf(request: IncomingMessage, resolution: Resolution, query: string, nowMs: number): VisitorFacts {
    const domain = resolution.outcome === 'found' ? resolution.link.domain : '';
    const key = () => this.parts.visitors.keyOf(this.#visitorRequest(request, domain, nowMs));
    const address = this.origin.address(request)?.address ?? null;
    return new VisitorFacts(this.parts.senses, request.headers, query, address, nowMs, key);
  }

  #visitorRequest(request: IncomingMessage, domain: string, nowMs: number): VisitorRequest {
    const { headers } = request;
    return {
      address: this.origin.address(request),
      userAgent: headers['user-agent'] ?? '',
      acceptLanguage: headers['accept-language'] ?? '',
      cookieHeader: headers.cookie,
      domain,
      doNotTrack: asksNotToBeTracked(headers),
      secure: this.origin.scheme(request) === 'https',
      nowMs,
    };
  }

  #count(request: IncomingMessage, response: ServerResponse, decision: Redirect | Pixel, query: string): void {
    const startedMs = performance.now();
    const eventId = this.#eventIds.next();
    const { visit, visitor } = this.#visitOf(request, eventId, decision, query);
    const record = visitRecord(visit, request.headers['traceparent'] as string | undefined);
    const headers = ['x-visit-id', eventId];
    if (visitor.setCookie !== undefined) headers.push('set-cookie', visitor.setCookie);
    this.parts.publisher.accept(record).then(
      (durability) => {
        this.#answer(request, response, decision, headers);
        this.parts.tally.accepted(durability, (performance.now() - startedMs) / 1_000);
      },
      () => this.#refuse(request, response, decision),
    );
  }

  #visitOf(request: IncomingMessage, eventId: string, { link, location, route }: Redirect | Pixel, query: string) {
    const { headers } = request;
    const visitorRequest = this.#visitorRequest(request, link.domain, eventIdTimeMs(eventId));
    const { address, doNotTrack } = visitorRequest;
    const visitor: Visitor = this.parts.visitors.identify(visitorRequest);
    const visit = describeVisit({
      eventId,
      link,
      destination: location,
      route,
      visitorId: visitor.visitorId,
      clientIp: this.origin.shownIp(address, doNotTrack),
      clientIpHash: visitor.clientIpHash,
      doNotTrack,
      headers,
      query,
      source: this.parts.source,
    });
    return { visit, visitor };
  }

  /** Answers first; then the request is recorded as an orphan visit, if it is within what may be recorded. */
  #notFound(request: IncomingMessage, response: ServerResponse, { code, extraPath }: RequestTarget): void {
    const { headers, url = '/' } = request;
    const type = orphanTypeOf(url, extraPath === '' ? code : undefined);
    const location = this.parts.notFound.locationFor(type, this.origin.host(request), pathOf(url));
    if (location === undefined) this.#sendPage(request, response, PAGES.notFound);
    else this.#sendRedirect(response, { status: 302, location, cacheControl: NOT_CACHED });
    if (request.method !== 'GET' || !this.parts.orphans.admit()) return;
    const address = this.origin.address(request);
    const doNotTrack = asksNotToBeTracked(headers);
    const orphan = describeOrphan({
      eventId: this.#eventIds.next(),
      type,
      domain: this.origin.host(request),
      url,
      clientIp: this.origin.shownIp(address, doNotTrack),
      clientIpHash: doNotTrack ? null : this.parts.visitors.hashAddress(address),
      doNotTrack,
      headers,
      source: this.parts.source,
    });
    this.parts.orphans.offer(orphanRecord(orphan, headers['traceparent'] as string | undefined));
  }

  /** Neither Kafka nor the disk took the visit. */
  #refuse(request: IncomingMessage, response: ServerResponse, decision: Redirect | Pixel): void {
    if (this.settings.visitDurabilityFailure === 'refuse') {
      this.parts.tally.uncounted('refused');
      return this.#sendPage(request, response, PAGES.unavailable);
    }
    this.parts.tally.uncounted('answered');
    this.#answer(request, response, decision);
  }

  #answer(request: IncomingMessage, response: ServerResponse, decision: Redirect | Pixel, more: string[] = []): void {
    if (decision.outcome === 'redirect') return this.#sendRedirect(response, decision, more);
    const { pixel } = PAGES;
    this.#sendPage(request, response, { ...pixel, headers: [...pixel.headers, ...more] });
  }

  #sendRedirect(response: ServerResponse, { status, location, cacheControl }: Sent, more: string[] = []): void {
    const headers = ['location', location, ...more, 'cache-control', cacheControl, 'content-length', '0'];
    if (this.parts.health.isDraining) headers.push('connection', 'close');
    response.writeHead(status, headers);
    response.end();
    this.parts.tally.answered(status);
  }

  #sendPage(request: IncomingMessage, response: ServerResponse, page: Page): void {
    response.writeHead(
      page.status,
      this.parts.health.isDraining ? [...page.headers, 'connection', 'close'] : page.headers,
    );
    response.end(request.method === 'HEAD' ? undefined : page.body);
    this.parts.tally.answered(page.status);
  }
}

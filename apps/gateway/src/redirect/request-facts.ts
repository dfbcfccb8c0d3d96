import { eventIdTimeMs, type OrphanVisitType } from '@hopcount/contracts';
import type { Resolution } from '@hopcount/links';

import type { RedirectRequest } from '../front/exchange.js';
import { describeOrphan } from '../orphans/describe-orphan.js';
import type { RequestLog } from '../request-log.js';
import type { RequestTraces } from '../tracing/request-traces.js';
import { asksNotToBeTracked } from '../visits/describe-visit.js';
import type { Visitor, VisitorIdentifier, VisitorRequest } from '../visits/identify-visitor.js';
import type { RecentClicks } from '../visits/recent-clicks.js';
import { orphanRecord, visitRecord } from '../visits/visit-record.js';
import type { VisitDecision } from './decide-redirect.js';
import type { RequestOrigin } from './request-origin.js';
import { VisitorFacts, type VisitorSenses } from './visitor-facts.js';

interface Parts {
  visitors: VisitorIdentifier;
  senses: VisitorSenses;
  clicks: Pick<RecentClicks, 'note'>;
  /** Name of this process life, in every event. */
  source: string;
  /** Undefined: no line for each request. */
  requestLog?: Pick<RequestLog, 'became'> | undefined;
  /** Undefined: nothing is traced. */
  traces?: Pick<RequestTraces, 'sending'> | undefined;
}

/** What a request says of who made it: for rules, and as what becomes of it, a visit or an orphan one. */
export class RequestFacts {
  constructor(
    private readonly parts: Parts,
    private readonly origin: RequestOrigin,
  ) {}

  forRules(request: RedirectRequest, resolution: Resolution, query: string, nowMs: number): VisitorFacts {
    const domain = resolution.outcome === 'found' ? resolution.link.domain : '';
    const key = () => this.parts.visitors.keyOf(this.#visitorRequest(request, domain, nowMs));
    const address = this.origin.address(request)?.address ?? null;
    return new VisitorFacts(this.parts.senses, request.headers, query, address, nowMs, key);
  }

  visit(request: RedirectRequest, eventId: string, { link, location, route }: VisitDecision, query: string) {
    const { headers } = request;
    this.parts.requestLog?.became(request, eventId);
    const visitorRequest = this.#visitorRequest(request, link.domain, eventIdTimeMs(eventId));
    const { address, doNotTrack, nowMs } = visitorRequest;
    const visitor: Visitor = this.parts.visitors.identify(visitorRequest);
    const clicks = this.parts.clicks.note(link.id, address, nowMs);
    const facts = {
      eventId,
      link,
      host: this.origin.host(request),
      destination: location,
      route,
      visitorId: visitor.visitorId,
      clientIp: this.origin.shownIp(address, doNotTrack),
      clientIpHash: visitor.clientIpHash,
      doNotTrack,
      isFlood: clicks.isFlood,
      headers,
      query,
      source: this.parts.source,
    };
    return {
      record: visitRecord(facts, this.parts.traces?.sending(request, eventId) ?? traceOf(request)),
      visitor,
      clicks,
    };
  }

  orphan(request: RedirectRequest, eventId: string, type: OrphanVisitType) {
    const { headers, url = '/' } = request;
    this.parts.requestLog?.became(request, eventId);
    const address = this.origin.address(request);
    const doNotTrack = asksNotToBeTracked(headers);
    const orphan = describeOrphan({
      eventId,
      type,
      domain: this.origin.host(request),
      url,
      clientIp: this.origin.shownIp(address, doNotTrack),
      clientIpHash: doNotTrack ? null : this.parts.visitors.hashAddress(address, eventIdTimeMs(eventId)),
      doNotTrack,
      headers,
      source: this.parts.source,
    });
    return orphanRecord(orphan, traceOf(request));
  }

  #visitorRequest(request: RedirectRequest, domain: string, nowMs: number): VisitorRequest {
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
}

function traceOf({ headers }: RedirectRequest): string | undefined {
  return headers['traceparent'] as string | undefined;
}

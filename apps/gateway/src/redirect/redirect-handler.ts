import type { OrphanVisitType } from '@hopcount/contracts';
import type { LinkResolver, Resolution } from '@hopcount/links';
import { type ErrorCode, failpoint, isAppError, TRACE, UuidV7Source } from '@hopcount/runtime';

import type { RedirectRequest, RedirectResponse } from '../front/exchange.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { GatewayTally } from '../gateway.metrics.js';
import type { GuardedLinks } from '../guard/guarded-links.js';
import { linkPath } from '../guard/link-path.js';
import { nextHop } from '../guard/loop-guard.js';
import type { LimitGate } from '../limits/limit-gate.js';
import type { UseReturns } from '../limits/use-returns.js';
import { orphanTypeOf } from '../orphans/describe-orphan.js';
import type { OrphanPublisher } from '../orphans/orphan-publisher.js';
import type { RedirectLimiter } from '../rate-limit/redirect-limiter.js';
import type { RequestTraces } from '../tracing/request-traces.js';
import type { VisitPublisher } from '../visits/visit-publisher.js';
import type { AnswerWriter } from './answer-writer.js';
import type { CompiledRedirects } from './compiled-redirects.js';
import { type Guard, NOT_CACHED, NOT_FOUND, type RedirectDecision, type VisitDecision } from './decide-redirect.js';
import type { NotFoundTargets } from './not-found-targets.js';
import { PAGES } from './pages.js';
import type { Places } from './places.js';
import type { RequestFacts } from './request-facts.js';
import type { RequestOrigin } from './request-origin.js';
import { pathOf, readRequestTarget, type RequestTarget } from './request-target.js';

export interface RedirectParts {
  resolver: LinkResolver;
  facts: RequestFacts;
  answers: AnswerWriter;
  publisher: VisitPublisher;
  orphans: Pick<OrphanPublisher, 'admit' | 'offer'>;
  notFound: Pick<NotFoundTargets, 'locationFor'>;
  limiter: Pick<RedirectLimiter, 'isOn' | 'noteNotFound'>;
  tally: GatewayTally;
  redirects: Pick<CompiledRedirects, 'of'>;
  /** For links with a limit. */
  limits: Pick<LimitGate, 'ask'>;
  useReturns: Pick<UseReturns, 'giveBack' | 'end'>;
  /** For links with a password or a warning. */
  guarded: Pick<GuardedLinks, 'pageFor'>;
  /** Undefined: nothing is traced. */
  traces?: Pick<RequestTraces, 'resolving' | 'sent'> | undefined;
  /** For links with rules. */
  places: Pick<Places, 'load'>;
}

type Settings = Pick<GatewayConfig, 'visitDurabilityFailure' | 'shortUrlTrailingSlash' | 'cdnCacheSeconds'>;

/**
 * One request: find the link, describe the visit, make it durable, answer. Written against Node's
 * request and response, with caches for all that repeats: this is the path every visitor waits for.
 */
export class RedirectHandler {
  readonly #eventIds = new UuidV7Source();

  constructor(
    private readonly parts: RedirectParts,
    private readonly origin: RequestOrigin,
    private readonly settings: Settings,
  ) {}

  handle(request: RedirectRequest, response: RedirectResponse): void {
    const asked = readRequestTarget(request.url ?? '/');
    const { code } = asked;
    if (code === undefined) return this.#notFound(request, response, asked);
    const host = this.origin.host(request);
    const known = this.parts.resolver.peek(host, code);
    if (known !== undefined) return this.#decide(request, response, known, asked);
    const step = this.parts.traces?.resolving(request);
    this.parts.resolver.resolve(host, code).then(
      (resolution) => {
        step?.end({ [TRACE.linkAnswer]: resolution.outcome });
        this.#decide(request, response, resolution, asked);
      },
      (error: unknown) => {
        step?.end({}, 'neither Redis nor PostgreSQL answered');
        this.#failed(request, response, error, 'link-lookup-failed');
      },
    );
  }

  /** An outage is logged where it is noticed; anything else is a defect. */
  #failed(request: RedirectRequest, response: RedirectResponse, error: unknown, expected: ErrorCode): void {
    if (isAppError(error, expected)) this.parts.answers.page(request, response, PAGES.unavailable);
    else this.parts.answers.defect(request, response, error);
  }

  #decide(request: RedirectRequest, response: RedirectResponse, resolution: Resolution, asked: RequestTarget): void {
    this.#orDefect(request, response, () => this.#decideOrThrow(request, response, resolution, asked));
  }

  #decideOrThrow(
    request: RedirectRequest,
    response: RedirectResponse,
    resolution: Resolution,
    asked: RequestTarget,
  ): void {
    const compiled = this.parts.redirects.of(resolution);
    const loading = compiled.needsPlace ? this.parts.places.load() : undefined;
    if (loading !== undefined) return void loading.then(() => this.#decide(request, response, resolution, asked));
    const nowMs = Date.now();
    const decision = compiled.decide(asked, nowMs, () =>
      this.parts.facts.forRules(request, resolution, asked.query, nowMs),
    );
    const { usedUp, guard } = compiled;
    if (guard !== undefined && this.#isHeldBack(request, response, guard, decision)) return;
    if (usedUp !== undefined && 'link' in decision && decision !== usedUp)
      return this.#askLimit(request, response, decision, { usedUp, guard }, asked);
    this.#follow(request, response, decision, asked);
  }

  #follow(
    request: RedirectRequest,
    response: RedirectResponse,
    decision: RedirectDecision,
    asked: RequestTarget,
  ): void {
    if (decision.outcome === 'not-found') return this.#notFound(request, response, asked);
    if (decision.outcome === 'blocked') return this.#blocked(request, response);
    if (request.method === 'HEAD') return this.#answer(request, response, decision);
    this.#count(request, response, decision, asked);
  }

  /** The use is taken under the id of the visit; if that visit cannot be made, it is given back. */
  #askLimit(
    request: RedirectRequest,
    response: RedirectResponse,
    decision: VisitDecision,
    { usedUp, guard }: { usedUp: RedirectDecision; guard: Guard | undefined },
    asked: RequestTarget,
  ): void {
    const useId = request.method === 'HEAD' ? undefined : this.#eventIds.next();
    const followOrThrow = (isFree: boolean) => {
      // Where visitors are sent after the end, a picture is none.
      if (!isFree) {
        const instead = decision.outcome === 'pixel' ? NOT_FOUND : usedUp;
        if (guard !== undefined && this.#isHeldBack(request, response, guard, instead)) return;
        return this.#follow(request, response, instead, asked);
      }
      if (useId === undefined) return this.#answer(request, response, decision);
      failpoint('gateway.after-take');
      if (request.socket.destroyed || request.socket.readableEnded === true) {
        response.destroy();
        return this.parts.useReturns.giveBack([useId]);
      }
      this.#count(request, response, decision, asked, useId);
    };
    const follow = (isFree: boolean) => {
      try {
        followOrThrow(isFree);
      } catch (error) {
        // How far the visit came is not known.
        if (useId !== undefined) this.parts.useReturns.end(useId);
        this.parts.answers.defect(request, response, error);
      }
    };
    this.parts.limits
      .ask(decision.link, useId ?? null)
      .then(follow, (error: unknown) => this.#failed(request, response, error, 'limit-undecided'));
  }

  /** @param useId of a link with a limit: the event id under which a use was taken */
  #count(
    request: RedirectRequest,
    response: RedirectResponse,
    decision: VisitDecision,
    asked: RequestTarget,
    useId?: string,
  ): void {
    const { arrivedMs = performance.now() } = request;
    const eventId = useId ?? this.#eventIds.next();
    const { record, visitor, clicks } = this.parts.facts.visit(request, eventId, decision, asked.query);
    const { cookie = '' } = request.headers;
    const hop = nextHop(cookie, () => linkPath(request.url ?? '/', asked), visitor, clicks);
    const headers = ['x-visit-id', eventId];
    const forCdn = this.#cdnCacheControl(decision);
    if (forCdn !== undefined) headers.push('cdn-cache-control', forCdn);
    // Nobody gets another visitor's cookie from a cache.
    for (const setCookie of forCdn === undefined ? [visitor.setCookie, hop] : [])
      if (setCookie !== undefined) headers.push('set-cookie', setCookie);
    const { tally } = this.parts;
    // Neither may throw: the others of their batch are told after them.
    this.parts.publisher.accept(record, {
      durable: (where) => {
        this.#orDefect(request, response, () => {
          this.parts.traces?.sent(request, where);
          tally.accepted(where, (performance.now() - arrivedMs) / 1_000);
          this.#answer(request, response, decision, headers);
        });
      },
      lost: (error) =>
        this.#orDefect(request, response, () => {
          this.parts.traces?.sent(request, error);
          this.#refuse(request, response, decision, useId === undefined ? undefined : { useId, error });
        }),
    });
  }

  /** Of a counted visit; undefined: no cache may answer the next one, as where it may be decided otherwise. */
  #cdnCacheControl(decision: VisitDecision): string | undefined {
    const { cdnCacheSeconds } = this.settings;
    if (cdnCacheSeconds === 0 || decision.outcome !== 'redirect') return undefined;
    return decision.cacheControl === NOT_CACHED ? undefined : `public, max-age=${cdnCacheSeconds}`;
  }

  #orDefect(request: RedirectRequest, response: RedirectResponse, answer: () => void): void {
    try {
      answer();
    } catch (error) {
      this.parts.answers.defect(request, response, error);
    }
  }

  #blocked(request: RedirectRequest, response: RedirectResponse): void {
    this.parts.answers.page(request, response, PAGES.blocked);
    this.#record(request, 'blocked');
  }

  /** Answered with a page instead. */
  #isHeldBack(request: RedirectRequest, response: RedirectResponse, guard: Guard, decision: RedirectDecision): boolean {
    const page = 'link' in decision ? this.parts.guarded.pageFor(request, guard, decision) : undefined;
    if (page === undefined) return false;
    this.parts.answers.page(request, response, page);
    this.#record(request, 'held_back');
    return true;
  }

  #notFound(request: RedirectRequest, response: RedirectResponse, { code, extraPath }: RequestTarget): void {
    const { url = '/' } = request;
    const isCode = extraPath === '' || (extraPath === '/' && this.settings.shortUrlTrailingSlash);
    const type = orphanTypeOf(url, isCode ? code : undefined);
    const location = this.parts.notFound.locationFor(type, this.origin.host(request), pathOf(url));
    if (location === undefined) this.parts.answers.page(request, response, PAGES.notFound);
    else this.parts.answers.redirect(request, response, { status: 302, location, cacheControl: NOT_CACHED });
    const client = this.parts.limiter.isOn ? this.origin.address(request) : undefined;
    if (client !== undefined) this.parts.limiter.noteNotFound(client);
    this.#record(request, type);
  }

  /** Of a request that was answered: an orphan visit, if it is within what may be recorded. */
  #record(request: RedirectRequest, type: OrphanVisitType): void {
    if (request.method !== 'GET' || !this.parts.orphans.admit()) return;
    this.parts.orphans.offer(this.parts.facts.orphan(request, this.#eventIds.next(), type));
  }

  /** Neither Kafka nor the disk took the visit. */
  #refuse(
    request: RedirectRequest,
    response: RedirectResponse,
    decision: VisitDecision,
    taken?: { useId: string; error: unknown },
  ): void {
    if (taken !== undefined) {
      const isInDoubt = !isAppError(taken.error, 'visit-not-durable') || taken.error.details['inDoubt'] !== false;
      if (isInDoubt) this.parts.useReturns.end(taken.useId);
      else this.parts.useReturns.giveBack([taken.useId]);
    }
    // What cannot be counted cannot be limited.
    if (taken !== undefined || this.settings.visitDurabilityFailure === 'refuse') {
      this.parts.tally.uncounted('refused');
      return this.parts.answers.page(request, response, PAGES.unavailable);
    }
    this.parts.tally.uncounted('answered');
    this.#answer(request, response, decision);
  }

  #answer(request: RedirectRequest, response: RedirectResponse, decision: VisitDecision, more: string[] = []): void {
    if (decision.outcome === 'redirect') return this.parts.answers.redirect(request, response, decision, more);
    this.parts.answers.page(request, response, PAGES.pixel, more);
  }
}

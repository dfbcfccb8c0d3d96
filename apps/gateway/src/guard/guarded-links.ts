import type { IncomingMessage, ServerResponse } from 'node:http';

import { REPORT_CAUSES } from '@hopcount/contracts';
import type { LinkResolver } from '@hopcount/links';
import { isAppError, type Secrets } from '@hopcount/runtime';

import { cookiesNamed } from '../cookies.js';
import type { RedirectRequest, RequestHeaders } from '../front/exchange.js';
import type { RedirectLimiter } from '../rate-limit/redirect-limiter.js';
import type { AnswerWriter } from '../redirect/answer-writer.js';
import type { CompiledRedirects } from '../redirect/compiled-redirects.js';
import type { Guard, VisitDecision } from '../redirect/decide-redirect.js';
import { type Page, PAGES } from '../redirect/pages.js';
import type { RequestOrigin } from '../redirect/request-origin.js';
import { readRequestTarget, type RequestTarget } from '../redirect/request-target.js';
import { GUARD_PAGES, limitedPage, REPORT_PAGES, warningPage } from './guard-pages.js';
import { linkPath } from './link-path.js';
import { hopsEnded, isLooping } from './loop-guard.js';
import type { LinkReports } from './link-reports.js';
import type { PasswordTries } from './password-tries.js';
import { readForm } from './read-form.js';
import { SignedTokens } from './signed-tokens.js';

/** Of who gave the password. */
const PASS = { name: 'hc_pass', seconds: 3_600 };
/** Of who pressed the button: long enough to follow the redirect, and to come back once. */
const SEEN = { name: 'hc_seen', seconds: 60 };
/** The button of a page works so long. */
const SHOWN_FOR_MS = 600_000;
const LONGEST_NAME = 300;

interface Parts {
  resolver: LinkResolver;
  redirects: Pick<CompiledRedirects, 'of'>;
  tries: Pick<PasswordTries, 'try'>;
  reports: Pick<LinkReports, 'report'>;
  limiter: Pick<RedirectLimiter, 'isOn' | 'noteNotFound'>;
  answers: AnswerWriter;
}

/** Links that ask for a password, or say where they lead, before they send anybody on. */
export class GuardedLinks {
  readonly #tokens: SignedTokens;

  constructor(
    private readonly parts: Parts,
    private readonly origin: RequestOrigin,
    secrets: Secrets,
  ) {
    this.#tokens = new SignedTokens(secrets, 'guarded links');
  }

  /** What a visitor sees instead of what was decided; undefined: that. */
  pageFor({ headers }: RedirectRequest, guard: Guard, decision: VisitDecision): Page | undefined {
    const { cookie = '' } = headers;
    const isBack = decision.outcome === 'redirect' && isLooping(cookie) && showsPages(headers);
    if (guard.password === undefined && !decision.warns && !isBack) return undefined;
    const nowMs = Date.now();
    const has = ({ name }: { name: string }, of: readonly string[]) =>
      cookiesNamed(name, cookie).some((token) => this.#tokens.isValid(token, [name, ...of], nowMs));
    const { link, password } = guard;
    // Where visitors go after the end is nobody's secret.
    if (password !== undefined && decision.route !== 'expired' && !has(PASS, [link.id, password])) {
      return GUARD_PAGES.password;
    }
    const { to, isWeb } = placeOf(decision.location);
    // In a circle, too: `hc_hops` may be of another host, and then no answer of ours ends it.
    if ((!isBack && !decision.warns) || has(SEEN, [link.id, to])) return undefined;
    const cause = isBack ? 'loop' : isWeb ? 'site' : 'program';
    return warningPage(to, cause, this.#tokens.sign(['shown', link.id, to], nowMs + SHOWN_FOR_MS));
  }

  /** A form that a page of ours sends; anything else is no method of a link. Never throws. */
  submit(request: IncomingMessage, response: ServerResponse): void {
    const asked = readRequestTarget(request.url ?? '/');
    this.#submit(request, response, asked).catch((error: unknown) => {
      // An outage is logged where it is noticed.
      if (isAppError(error, 'link-lookup-failed')) this.parts.answers.refusal(request, response, PAGES.unavailable);
      else this.parts.answers.defect(request, response, error);
    });
  }

  async #submit(request: IncomingMessage, response: ServerResponse, asked: RequestTarget): Promise<void> {
    const guard = asked.code === undefined ? undefined : await this.#guardOf(request, asked.code);
    if (guard === undefined) return this.#noForm(request, response);
    const { link, password: mark } = guard;
    const form = await readForm(request);
    // Of a page that is too old, too: its button leads on.
    const hasPage =
      mark !== undefined || guard.mayWarn || ('fields' in form && this.#wasShown(link.id, form.fields, 0));
    if (!hasPage) return this.#noForm(request, response);
    if ('refused' in form) return this.parts.answers.refusal(request, response, FORM_PAGES[form.refused]);
    const report = form.fields.get('report');
    if (report !== null) return this.#report(request, response, link.id, report);
    if (mark === undefined || form.fields.has('shown'))
      return this.#goOn(request, response, asked, link.id, form.fields);
    const passwords = form.fields.getAll('password');
    const [password = ''] = passwords;
    // From a page of somebody else it may be a guess, made by a visitor who knows nothing of it.
    if (passwords.length !== 1 || !isFromHere(request))
      return this.parts.answers.page(request, response, GUARD_PAGES.password);
    const tried = await this.parts.tries.try(link.id, mark, password, this.origin.address(request)?.address ?? '');
    switch (tried.outcome) {
      case 'right':
        return this.#sendBack(request, response, asked, { ...PASS, of: [link.id, tried.mark] });
      case 'wrong':
        return this.parts.answers.page(request, response, GUARD_PAGES.wrongPassword);
      case 'limited':
        return this.parts.answers.page(request, response, limitedPage(tried.retryAfterMs));
      case 'busy':
        return this.parts.answers.page(request, response, GUARD_PAGES.busy);
    }
  }

  async #report(request: IncomingMessage, response: ServerResponse, linkId: string, said: string): Promise<void> {
    const cause = REPORT_CAUSES.find((one) => one === said);
    // As of a form that nobody filled in here.
    if (cause === undefined || !isFromHere(request))
      return this.parts.answers.refusal(request, response, PAGES.notAForm);
    const outcome = await this.parts.reports.report(linkId, cause, this.origin.address(request)?.address ?? '');
    this.parts.answers.page(request, response, outcome === 'full' ? REPORT_PAGES.failed : REPORT_PAGES[outcome]);
  }

  /** Whoever tries codes this way is refused like who tries them with GET. */
  #noForm(request: IncomingMessage, response: ServerResponse): void {
    this.parts.answers.refusal(request, response, PAGES.methodNotAllowed);
    const client = this.parts.limiter.isOn ? this.origin.address(request) : undefined;
    if (client !== undefined) this.parts.limiter.noteNotFound(client);
  }

  /** Of a link that is there, and sends visitors somewhere now. */
  async #guardOf(request: IncomingMessage, code: string): Promise<Guard | undefined> {
    const host = this.origin.host(request);
    const resolution = this.parts.resolver.peek(host, code) ?? (await this.parts.resolver.resolve(host, code));
    const { guard } = this.parts.redirects.of(resolution);
    return guard?.isOpen(Date.now()) === true ? guard : undefined;
  }

  /** Whether the form is of a page of ours for this link, and what it names. @param nowMs 0: whenever it was */
  #wasShown(linkId: string, fields: URLSearchParams, nowMs: number): boolean {
    return this.#tokens.isValid(fields.get('shown') ?? '', ['shown', linkId, fields.get('to') ?? ''], nowMs);
  }

  /** The button was pressed. On a page that is too old, or was never shown, it leads to a new one. */
  #goOn(
    request: IncomingMessage,
    response: ServerResponse,
    asked: RequestTarget,
    linkId: string,
    fields: URLSearchParams,
  ): void {
    const isPressed = isFromHere(request) && this.#wasShown(linkId, fields, Date.now());
    const given = isPressed ? { ...SEEN, of: [linkId, fields.get('to') ?? ''] } : undefined;
    this.#sendBack(request, response, asked, given);
  }

  /** To the same address, which then counts the visit and sends on as ever. */
  #sendBack(
    request: IncomingMessage,
    response: ServerResponse,
    asked: RequestTarget,
    given: { name: string; seconds: number; of: readonly string[] } | undefined,
  ): void {
    const path = linkPath(request.url ?? '/', asked);
    const location = path + asked.extraPath + (asked.query === '' ? '' : `?${asked.query}`);
    const headers = ['location', location, 'referrer-policy', 'no-referrer', ...NOTHING];
    if (given !== undefined) {
      const { name, seconds, of } = given;
      const token = this.#tokens.sign([name, ...of], Date.now() + seconds * 1_000);
      const secure = this.origin.scheme(request) === 'https' ? '; Secure' : '';
      headers.push('set-cookie', `${name}=${token}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
      if (isLooping(request.headers.cookie ?? '')) headers.push('set-cookie', hopsEnded(path));
    }
    this.parts.answers.page(request, response, { status: 303, headers, body: Buffer.alloc(0) });
  }
}

const NOTHING = ['cache-control', 'no-store', 'content-length', '0'];

const FORM_PAGES = {
  'not-a-form': PAGES.notAForm,
  'too-large': PAGES.formTooLarge,
  'too-slow': PAGES.formTooSlow,
};

/** The host, letters beyond ASCII as `xn--…`; of other schemes than those of the web all of it. */
function placeOf(location: string): { to: string; isWeb: boolean } {
  const url = URL.parse(location);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  return { to: (isWeb ? url.host : location).slice(0, LONGEST_NAME), isWeb };
}

/** As far as browsers say: not for pictures and what scripts fetch. */
function showsPages({ 'sec-fetch-dest': what = 'document' }: RequestHeaders): boolean {
  return what === 'document' || what === 'iframe';
}

/** As far as browsers say. Not by `Origin`, which is null for pages that send no referrer. */
function isFromHere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { LinkResolver } from '@hopcount/links';
import { parseUrl, type Secrets } from '@hopcount/runtime';

import { cookiesNamed } from '../cookies.js';
import type { GatewayTally } from '../gateway.metrics.js';
import type { RedirectLimiter } from '../rate-limit/redirect-limiter.js';
import type { CompiledRedirects } from '../redirect/compiled-redirects.js';
import type { Guard, VisitDecision } from '../redirect/decide-redirect.js';
import { type Page, PAGES } from '../redirect/pages.js';
import type { RequestOrigin } from '../redirect/request-origin.js';
import { readRequestTarget, type RequestTarget } from '../redirect/request-target.js';
import { GUARD_PAGES, limitedPage, warningPage } from './guard-pages.js';
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
/** What a cookie's path may hold as it was sent. */
const PLAIN_PATH = /^\/[\w.~!$&'()*+=@%-]+$/;

interface Parts {
  resolver: LinkResolver;
  redirects: Pick<CompiledRedirects, 'of'>;
  tries: Pick<PasswordTries, 'try'>;
  /** Undefined: requests are not limited. */
  limiter: Pick<RedirectLimiter, 'noteNotFound'> | undefined;
  tally: GatewayTally;
  health: { readonly isDraining: boolean };
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
  pageFor({ headers: { cookie = '' } }: IncomingMessage, guard: Guard, decision: VisitDecision): Page | undefined {
    const nowMs = Date.now();
    const has = ({ name }: { name: string }, of: readonly string[]) =>
      cookiesNamed(name, cookie).some((token) => this.#tokens.isValid(token, [name, ...of], nowMs));
    const { link, password, warns } = guard;
    // Where visitors go after the end is nobody's secret.
    if (password !== undefined && decision.route !== 'expired' && !has(PASS, [link.id, password])) {
      return GUARD_PAGES.password;
    }
    if (!warns || decision.outcome === 'pixel') return undefined;
    const to = placeOf(decision.location);
    if (has(SEEN, [link.id, to])) return undefined;
    return warningPage(to, this.#tokens.sign(['shown', link.id, to], nowMs + SHOWN_FOR_MS));
  }

  /** A form that a page of ours sends; anything else is no method of a link. Never throws. */
  submit(request: IncomingMessage, response: ServerResponse): void {
    const asked = readRequestTarget(request.url ?? '/');
    this.#submit(request, response, asked).catch(() => {
      if (response.headersSent) response.destroy();
      else this.#refuse(response, PAGES.unavailable);
    });
  }

  async #submit(request: IncomingMessage, response: ServerResponse, asked: RequestTarget): Promise<void> {
    const guard = asked.code === undefined ? undefined : await this.#guardOf(request, asked.code);
    if (guard === undefined) return this.#noForm(request, response);
    const form = await readForm(request);
    if ('refused' in form) return this.#refuse(response, FORM_PAGES[form.refused]);
    const { link, password: mark } = guard;
    if (mark === undefined || form.fields.has('shown'))
      return this.#goOn(request, response, asked, link.id, form.fields);
    const passwords = form.fields.getAll('password');
    const [password = ''] = passwords;
    // From a page of somebody else it may be a guess, made by a visitor who knows nothing of it.
    if (passwords.length !== 1 || !isFromHere(request)) return this.#send(response, GUARD_PAGES.password);
    const tried = await this.parts.tries.try(link.id, mark, password, this.origin.address(request)?.address ?? '');
    switch (tried.outcome) {
      case 'right':
        return this.#sendBack(request, response, asked, { ...PASS, of: [link.id, tried.mark] });
      case 'wrong':
        return this.#send(response, GUARD_PAGES.wrongPassword);
      case 'limited':
        return this.#send(response, limitedPage(tried.retryAfterMs));
      case 'busy':
        return this.#send(response, GUARD_PAGES.busy);
    }
  }

  /** Whoever tries codes this way is refused like who tries them with GET. */
  #noForm(request: IncomingMessage, response: ServerResponse): void {
    this.#refuse(response, PAGES.methodNotAllowed);
    const client = this.parts.limiter && this.origin.address(request);
    if (client !== undefined) this.parts.limiter?.noteNotFound(client);
  }

  /** Of a link that is there, and open to visits now. */
  async #guardOf(request: IncomingMessage, code: string): Promise<Guard | undefined> {
    const host = this.origin.host(request);
    const resolution = this.parts.resolver.peek(host, code) ?? (await this.parts.resolver.resolve(host, code));
    const { guard } = this.parts.redirects.of(resolution);
    return guard?.isOpen(Date.now()) === true ? guard : undefined;
  }

  /** The button was pressed. On a page that is too old, or was never shown, it leads to a new one. */
  #goOn(
    request: IncomingMessage,
    response: ServerResponse,
    asked: RequestTarget,
    linkId: string,
    fields: URLSearchParams,
  ): void {
    const to = fields.get('to') ?? '';
    const wasShown = this.#tokens.isValid(fields.get('shown') ?? '', ['shown', linkId, to], Date.now());
    this.#sendBack(
      request,
      response,
      asked,
      wasShown && isFromHere(request) ? { ...SEEN, of: [linkId, to] } : undefined,
    );
  }

  /** To the same address, which then counts the visit and sends on as ever. */
  #sendBack(
    request: IncomingMessage,
    response: ServerResponse,
    asked: RequestTarget,
    given: { name: string; seconds: number; of: readonly string[] } | undefined,
  ): void {
    const path = pathOf(request.url ?? '/', asked);
    const location = path + asked.extraPath + (asked.query === '' ? '' : `?${asked.query}`);
    const headers = ['location', location, 'referrer-policy', 'no-referrer', ...NOTHING];
    if (given !== undefined) {
      const { name, seconds, of } = given;
      const token = this.#tokens.sign([name, ...of], Date.now() + seconds * 1_000);
      const secure = this.origin.scheme(request) === 'https' ? '; Secure' : '';
      headers.push('set-cookie', `${name}=${token}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
    }
    this.#send(response, { status: 303, headers, body: Buffer.alloc(0) });
  }

  #send(response: ServerResponse, { status, headers, body }: Page): void {
    response.writeHead(status, this.parts.health.isDraining ? [...headers, 'connection', 'close'] : headers);
    response.end(body);
    this.parts.tally.answered(status);
  }

  /** Before anything has read the whole body: the connection has to go with it. */
  #refuse(response: ServerResponse, page: Page): void {
    response.writeHead(page.status, [...page.headers, 'connection', 'close']);
    response.end(page.body);
    this.parts.tally.answered(page.status);
  }
}

const NOTHING = ['cache-control', 'no-store', 'content-length', '0'];

const FORM_PAGES = {
  'not-a-form': PAGES.notAForm,
  'too-large': PAGES.formTooLarge,
  'too-slow': PAGES.formTooSlow,
};

/** The link's path as it was asked for, or (what could end a cookie's attribute) in another spelling of the same. */
function pathOf(url: string, { code = '', extraPath, query }: RequestTarget): string {
  const length = url.length - extraPath.length - (url.includes('?') ? query.length + 1 : 0);
  const path = url.slice(0, length);
  return PLAIN_PATH.test(path) ? path : `/${encodeURIComponent(code)}`;
}

/** The host, letters beyond ASCII as `xn--…`; of other schemes than those of the web all of it. */
function placeOf(location: string): string {
  const url = parseUrl(location);
  return (url?.host || location).slice(0, LONGEST_NAME);
}

/** As far as browsers say. Not by `Origin`, which is null for pages that send no referrer. */
function isFromHere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

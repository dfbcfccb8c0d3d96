import { type Logger, STRICT_TRANSPORT } from '@hopcount/runtime';

import type { RedirectRequest, RedirectResponse } from '../front/exchange.js';
import type { GatewayTally } from '../gateway.metrics.js';
import type { Redirect } from './decide-redirect.js';
import { type Page, PAGES } from './pages.js';
import { pathOf } from './request-target.js';

interface Parts {
  tally: GatewayTally;
  /** Once draining, every answer closes its connection: the listener is gone, so must its clients be. */
  health: { readonly isDraining: boolean };
  logger: Logger;
  origin: { scheme(request: RedirectRequest): 'http' | 'https' };
}

const LONGEST_PATH = 200;

export type Sent = Pick<Redirect, 'status' | 'location' | 'cacheControl'>;

/** Answers of links: redirects and pages, counted by their status. */
export class AnswerWriter {
  constructor(private readonly parts: Parts) {}

  redirect(request: RedirectRequest, response: RedirectResponse, sent: Sent, more: string[] = []): void {
    const headers = ['location', sent.location, ...more, 'cache-control', sent.cacheControl];
    headers.push(...this.#ofScheme(request), 'content-length', '0');
    if (this.parts.health.isDraining) headers.push('connection', 'close');
    response.writeHead(sent.status, headers);
    response.end();
    this.parts.tally.answered(sent.status);
  }

  page(request: RedirectRequest, response: RedirectResponse, page: Page, more: string[] = []): void {
    const headers = [...page.headers, ...more, ...this.#ofScheme(request)];
    response.writeHead(page.status, this.parts.health.isDraining ? [...headers, 'connection', 'close'] : headers);
    response.end(request.method === 'HEAD' ? undefined : page.body);
    this.parts.tally.answered(page.status);
  }

  /** Before anything has read the whole body: the connection has to go with it. */
  refusal(request: RedirectRequest, response: RedirectResponse, page: Page): void {
    response.writeHead(page.status, [...page.headers, ...this.#ofScheme(request), 'connection', 'close']);
    response.end(page.body);
    this.parts.tally.answered(page.status);
  }

  #ofScheme(request: RedirectRequest): readonly string[] {
    return this.parts.origin.scheme(request) === 'https' ? STRICT_TRANSPORT : [];
  }

  /**
   * A defect that one link or request brings out must not end the process, which all others need. It is logged and counted:
   * its visitors see what they see in an outage.
   */
  defect(request: RedirectRequest, response: RedirectResponse, error: unknown): void {
    this.parts.tally.defects += 1;
    // Without the query, which visitors fill.
    const path = pathOf(request.url ?? '').slice(0, LONGEST_PATH);
    this.parts.logger.error({ err: error, method: request.method, path }, 'a request for a link met a defect');
    if (response.headersSent) response.destroy();
    else this.unread(request, response, PAGES.unavailable);
  }

  /** Of a request whose body, where it has one, nothing has read. */
  unread(request: RedirectRequest, response: RedirectResponse, page: Page): void {
    if (request.method === 'POST') this.refusal(request, response, page);
    else this.page(request, response, page);
  }
}

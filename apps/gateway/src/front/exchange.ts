import type { IncomingHttpHeaders } from 'node:http';

import type { ClientAddress } from '@hopcount/runtime';

/** Headers that anything of a redirect reads. Where there are several of a name, Node joins or drops them. */
export const HEADER_NAMES = [
  ...(['host', 'user-agent', 'accept-language', 'cookie', 'referer', 'dnt', 'sec-gpc'] as const),
  ...(['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'sec-fetch-dest'] as const),
  ...(['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const),
  ...(['x-forwarded-for', 'x-forwarded-proto', 'traceparent'] as const),
];

export type HeaderName = (typeof HEADER_NAMES)[number];
export type RequestHeaders = Partial<Pick<IncomingHttpHeaders, HeaderName>>;

/** What redirects use of Node's IncomingMessage. The light front has its own, so nothing may rely on more. */
export interface RedirectRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: RequestHeaders;
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly destroyed: boolean;
    /** The client sends nothing more: nearly always it is gone. */
    readonly readableEnded?: boolean;
  };
  /** The client's address that RequestOrigin has read in a trusted proxy's X-Forwarded-For: it is parsed once. */
  forwardedFor?: ClientAddress | undefined;
  /** When this process first saw the request (performance.now): its latency counts from here. */
  arrivedMs?: number | undefined;
}

/** What redirects use of Node's ServerResponse. */
export interface RedirectResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  /** Whether all of the answer is with the system. */
  readonly writableFinished: boolean;
  /** @param headers name, value, name, value …, with a content-length */
  writeHead(status: number, headers: string[]): unknown;
  end(body?: Buffer | string): unknown;
  destroy(): unknown;
  /** After the answer, or once the connection has closed. */
  once(event: 'close', listener: () => void): unknown;
}

export type Handle = (request: RedirectRequest, response: RedirectResponse) => void;

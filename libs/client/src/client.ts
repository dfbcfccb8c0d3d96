import createClient, { type Client } from 'openapi-fetch';

import { HopcountProblem } from './problem.js';
import type { paths } from './rest-api.generated.js';

export interface HopcountClientOptions {
  /** Of the api: `https://api.example.com`; on pages of the api itself `''`. */
  baseUrl: string;
  /** Without one a browser sends the session of who is signed in. */
  apiKey?: string;
  /** For deadlines, proxies and tests; the platform's own otherwise. */
  fetch?: (request: Request) => Promise<Response>;
}

/** What is spoken; rows as CSV or JSON Lines are had with `parseAs: 'text'`. */
type Spoken = 'application/json' | 'application/problem+json';

export type HopcountClient = Client<paths, Spoken>;

/** `GET`, `POST`, … of each path of the document, with the types of its parameters, body and answer. */
export function createHopcountClient({ baseUrl, apiKey, fetch }: HopcountClientOptions): HopcountClient {
  return createClient<paths, Spoken>({
    baseUrl,
    ...(apiKey !== undefined && { headers: { 'X-Api-Key': apiKey } }),
    ...(fetch !== undefined && { fetch }),
  });
}

/**
 * The answer alone, for who does not want to look whether there is one.
 * @throws HopcountProblem where there is none
 */
export async function answerOf<Answer>(
  call: Promise<{ data?: Answer; error?: unknown; response: Response }>,
): Promise<Exclude<Answer, undefined>> {
  const { data, error, response } = await call;
  if (!response.ok) throw new HopcountProblem(response.status, error);
  return data as Exclude<Answer, undefined>;
}

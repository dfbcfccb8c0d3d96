import type { OutboundFetcher } from '@hopcount/outbound';
import { AppError, isAppError } from '@hopcount/runtime';

import type { ImportSource } from './sources.js';

type Json = Record<string, unknown>;

/** Answers have 512 KB at most (libs/outbound). */
const PAGE = 100;
const YOURLS_PAGE = 500;
const ATTEMPTS = 4;
const WAIT_MS = 500;

export interface LinkApi {
  /** Where the installation is: `https://s.example`; of Bitly the group: `https://api-ssl.bitly.com/v4/groups/GUID`. */
  url: string;
  key: string;
  fetcher: Pick<OutboundFetcher, 'get'>;
  onProgress?: (records: number) => void;
  waitMs?: number;
}

/** Links of an API, and visits where it has them one by one, page by page, a line of JSON each: a file for an import. */
type FetchPages = (
  api: LinkApi,
  get: (path: string, headers: Record<string, string>) => Promise<Json>,
) => AsyncGenerator<unknown[]>;

const APIS: Partial<Record<ImportSource, FetchPages>> = {
  async *shlink({ key }, get) {
    const headers = { 'x-api-key': key };
    // What comes later would move pages, and so come twice.
    const endDate = new Date(Date.now() - 1_000).toISOString().replace(/\.\d{3}Z$/, '+00:00');
    for (let [page, pages] = [1, 1]; page <= pages; page += 1) {
      // Oldest first: what is created meanwhile comes last, and moves no page.
      const { shortUrls } = await get(
        `/rest/v3/short-urls?page=${page}&itemsPerPage=${PAGE}&orderBy=dateCreated-ASC`,
        headers,
      );
      const { pagination } = (shortUrls ?? {}) as { pagination?: { pagesCount?: number } };
      const data = listIn(shortUrls, 'data');
      pages = pagination?.pagesCount ?? 1;
      const links: Json[] = [];
      for (const link of data)
        links.push(link['hasRedirectRules'] === true ? { ...link, ...(await rulesOf(link)) } : link);
      yield links;
      for (const link of links) yield* visitsOf(link);
    }
    function pathOf({ shortCode }: Json) {
      return `/rest/v3/short-urls/${encodeURIComponent(String(shortCode))}`;
    }
    async function* visitsOf(link: Json) {
      const { shortCode, domain = null, visitsSummary, visitsCount } = link;
      const total = (visitsSummary as { total?: number } | undefined)?.total ?? visitsCount ?? 0;
      if (total === 0) return;
      const query = new URLSearchParams({ itemsPerPage: String(PAGE), endDate });
      if (typeof domain === 'string') query.set('domain', domain);
      for (let [page, pages] = [1, 1]; page <= pages; page += 1) {
        query.set('page', String(page));
        const { visits } = await get(`${pathOf(link)}/visits?${query.toString()}`, headers);
        const { pagination } = (visits ?? {}) as { pagination?: { pagesCount?: number } };
        const data = listIn(visits, 'data');
        pages = pagination?.pagesCount ?? 1;
        yield data.map((visit) => ({ shortCode, domain, ...visit }));
      }
    }
    async function rulesOf(link: Json) {
      const { domain } = link;
      const query = typeof domain === 'string' ? `?domain=${encodeURIComponent(domain)}` : '';
      const { redirectRules } = await get(`${pathOf(link)}/redirect-rules${query}`, headers);
      const rules = listIn({ redirectRules }, 'redirectRules') as { priority?: number }[];
      return { redirectRules: rules.sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0)) };
    }
  },
  async *kutt({ key }, get) {
    for (let skip = 0; ; skip += PAGE / 2) {
      const data = listIn(await get(`/api/v2/links?limit=${PAGE / 2}&skip=${skip}`, { 'x-api-key': key }), 'data');
      if (data.length === 0) return;
      yield data;
    }
  },
  async *yourls({ key }, get) {
    for (let start = 0; ; start += YOURLS_PAGE) {
      const query = `action=stats&filter=last&limit=${YOURLS_PAGE}&start=${start}&format=json&signature=${encodeURIComponent(key)}`;
      const { links } = await get(`/yourls-api.php?${query}`, {});
      // Named link_1, link_2 …; none are an empty list.
      if (typeof links !== 'object' || links === null) throw notLinks('links');
      const found = Object.values(links as Json);
      if (found.length === 0) return;
      yield found;
    }
  },
  async *bitly({ key, url }, get) {
    const headers = { authorization: `Bearer ${key}` };
    for (let path = `/bitlinks?size=${PAGE}`; path !== '';) {
      const answer = await get(path, headers);
      yield listIn(answer, 'links');
      const { next = '' } = (answer['pagination'] ?? {}) as { next?: unknown };
      if (next === '' || next === null) return;
      // Only pages of the same group: the token goes nowhere else. Without its other pages the import would not be whole.
      if (typeof next !== 'string' || !next.startsWith(`${url}/`))
        throw new AppError(
          'source-refused',
          `The next page is not below ${url}. Give the address of the group as the API writes it.`,
        );
      path = next.slice(url.length);
    }
  },
};

/** A list of an answer. @throws AppError `source-refused`: it has none, so nobody knows what is there */
function listIn(answer: unknown, name: string): Json[] {
  const list = (answer as Json | undefined)?.[name];
  if (Array.isArray(list)) return list as Json[];
  throw notLinks(name);
}

function notLinks(name: string): AppError {
  return new AppError(
    'source-refused',
    `The API answered without a list "${name}". Is it the address of that API, and the key right?`,
  );
}

/** @throws AppError `source-refused`, `source-unreachable` */
export async function* fetchLinks(source: ImportSource, given: LinkApi): AsyncGenerator<Buffer> {
  const api = { ...given, url: given.url.replace(/\/+$/, '') };
  const pages = APIS[source]?.(api, (path, credentials) => getJson(api, path, credentials));
  if (pages === undefined)
    throw new AppError('source-refused', `There is no API to import ${source} from; give a file.`);
  let records = 0;
  for await (const page of pages) {
    records += page.length;
    api.onProgress?.(records);
    yield Buffer.from(page.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }
}

async function getJson(
  { url, fetcher, waitMs = WAIT_MS }: LinkApi,
  path: string,
  credentials: Record<string, string>,
): Promise<Json> {
  for (let attempt = 1; ; attempt += 1) {
    const page = await fetcher
      .get(`${url}${path}`, { accept: 'application/json', credentials })
      .catch((error: unknown) => {
        if (isAppError(error, 'outbound-failed') && attempt < ATTEMPTS) return undefined;
        if (!isAppError(error)) throw error;
        throw new AppError('source-unreachable', `${url} could not be asked: ${error.message}`, { cause: error });
      });
    if (page?.status === 200 && !page.isCut) return parseAnswer(url, page.body);
    const isBusy = page === undefined || page.status === 429 || page.status >= 500;
    if (!isBusy || attempt >= ATTEMPTS) {
      const why = page?.isCut === true ? 'with more than 512 KB' : `with status ${page?.status}`;
      throw new AppError('source-refused', `${url} answered ${why}. Is the address right, and the key?`);
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs * 2 ** attempt));
  }
}

function parseAnswer(url: string, body: Buffer): Json {
  try {
    const answer: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof answer === 'object' && answer !== null) return answer as Json;
  } catch {
    // Said below: no JSON, or bytes that are no UTF-8 and would be garbled.
  }
  throw new AppError('source-refused', `${url} answered something else than JSON. Is it the address of the API?`);
}

import type { FetchedPage } from '@hopcount/outbound';
import { AppError } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { fetchLinks } from './fetch-links.js';
import type { ImportSource } from './sources.js';

type Answer = unknown;

/** An API by its addresses; an Error is thrown once, then the next of the list counts. */
function apiOf(answers: Record<string, Answer[]>) {
  const asked: [string, object | undefined][] = [];
  const get = (address: string, { credentials }: { credentials?: object }): Promise<FetchedPage> => {
    asked.push([address, credentials]);
    const answer = answers[address]?.shift();
    if (answer instanceof Error) return Promise.reject(answer);
    const status = typeof answer === 'number' ? answer : answer === undefined ? 404 : 200;
    const body = Buffer.from(JSON.stringify(answer ?? {}));
    return Promise.resolve({ url: address, status, contentType: 'application/json', body, isCut: false });
  };
  return { asked, fetcher: { get } };
}

async function linesOf(source: ImportSource, url: string, answers: Record<string, Answer[]>) {
  const { asked, fetcher } = apiOf(answers);
  let text = '';
  for await (const chunk of fetchLinks(source, { url, key: 'k', fetcher, waitMs: 0 })) text += chunk.toString();
  return {
    asked,
    links: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object),
  };
}

const S = 'https://s.example';
const shlinkPage = (page: number) => `${S}/rest/v3/short-urls?page=${page}&itemsPerPage=100&orderBy=dateCreated-ASC`;

describe('links of an API', () => {
  it('of Shlink come page by page with their rules in order, also when it fails now and then', async () => {
    const page = (data: object[]) => ({ shortUrls: { data, pagination: { pagesCount: 2 } } });
    const rules = {
      redirectRules: [
        { priority: 2, longUrl: 'b' },
        { priority: 1, longUrl: 'a' },
      ],
    };
    const { links, asked } = await linesOf('shlink', `${S}/`, {
      [shlinkPage(1)]: [503, page([{ shortCode: 'é', domain: 'd.example', hasRedirectRules: true }])],
      [shlinkPage(2)]: [new AppError('outbound-failed', 'x', { retryable: true }), page([{ shortCode: 'y' }])],
      [`${S}/rest/v3/short-urls/%C3%A9/redirect-rules?domain=d.example`]: [rules],
    });
    expect(links).toMatchObject([
      { shortCode: 'é', redirectRules: [{ longUrl: 'a' }, { longUrl: 'b' }] },
      { shortCode: 'y' },
    ]);
    for (const [, credentials] of asked) expect(credentials).toEqual({ 'x-api-key': 'k' });
  });

  it('of Shlink are followed by the visits of those that have some, up to the start', async () => {
    const asked: URLSearchParams[] = [];
    const link = (shortCode: string, total: number) => ({ shortCode, domain: 'd.example', visitsSummary: { total } });
    const get = (address: string): Promise<FetchedPage> => {
      const { pathname, searchParams } = new URL(address);
      const page = searchParams.get('page');
      if (pathname.endsWith('/visits')) asked.push(searchParams);
      const pagination = { pagesCount: 2 };
      const answer = pathname.endsWith('/short-urls')
        ? { shortUrls: { data: page === '1' ? [link('a', 2), link('b', 0)] : [] } }
        : { visits: { data: [{ date: `of page ${page}`, referer: '' }], pagination } };
      const body = Buffer.from(JSON.stringify(answer));
      return Promise.resolve({ url: address, status: 200, contentType: 'application/json', body, isCut: false });
    };
    let text = '';
    for await (const chunk of fetchLinks('shlink', { url: S, key: 'k', fetcher: { get } })) text += chunk.toString();
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      ...[link('a', 2), link('b', 0)],
      ...[1, 2].map((page) => ({ shortCode: 'a', domain: 'd.example', date: `of page ${page}`, referer: '' })),
    ]);
    expect(asked.map((query) => [query.get('domain'), query.get('itemsPerPage')])).toEqual([
      ['d.example', '100'],
      ['d.example', '100'],
    ]);
    const ends = new Set(asked.map((query) => query.get('endDate')));
    expect([ends.size, Date.parse([...ends][0] ?? '') < Date.now()]).toEqual([1, true]);
  });

  it('of Kutt and YOURLS come until there are none', async () => {
    const kutt = await linesOf('kutt', S, {
      [`${S}/api/v2/links?limit=50&skip=0`]: [{ data: [{ address: 'a' }] }],
      [`${S}/api/v2/links?limit=50&skip=50`]: [{ data: [] }],
    });
    expect(kutt.links).toEqual([{ address: 'a' }]);
    const address = (start: number) =>
      `${S}/yourls-api.php?action=stats&filter=last&limit=500&start=${start}&format=json&signature=k`;
    const yourls = await linesOf('yourls', S, {
      [address(0)]: [{ links: { link_1: { shorturl: 'x' } } }],
      [address(500)]: [{ links: {} }],
    });
    expect(yourls.links).toEqual([{ shorturl: 'x' }]);
  });

  it('of Bitly follow its pages, and only those of the group', async () => {
    const group = 'https://api-ssl.bitly.com/v4/groups/G';
    const { links, asked } = await linesOf('bitly', group, {
      [`${group}/bitlinks?size=100`]: [
        { links: [{ id: 1 }], pagination: { next: `${group}/bitlinks?size=100&search_after=x` } },
      ],
      [`${group}/bitlinks?size=100&search_after=x`]: [{ links: [{ id: 2 }], pagination: { next: '' } }],
    });
    expect(links).toEqual([{ id: 1 }, { id: 2 }]);
    expect(asked.map(([, credentials]) => credentials)).toEqual([
      { authorization: 'Bearer k' },
      { authorization: 'Bearer k' },
    ]);
  });

  it('of Bitly end with an error where the next page is elsewhere: without it the import would not be whole', async () => {
    const group = 'https://api-ssl.bitly.com/v4/groups/G';
    const answers = { [`${group}/bitlinks?size=100`]: [{ links: [], pagination: { next: 'https://evil.example/' } }] };
    await expect(linesOf('bitly', group, answers)).rejects.toMatchObject({ code: 'source-refused' });
  });

  it.each([
    ['shlink', shlinkPage(1)],
    ['kutt', `${S}/api/v2/links?limit=50&skip=0`],
    ['yourls', `${S}/yourls-api.php?action=stats&filter=last&limit=500&start=0&format=json&signature=k`],
    ['bitly', `${S}/bitlinks?size=100`],
  ] as const)('of %s are not taken for none when the answer has no list of them', async (source, address) => {
    await expect(linesOf(source, S, { [address]: [{ status: 'fail' }] })).rejects.toMatchObject({
      code: 'source-refused',
    });
  });

  it.each([[[401]], [[503, 503, 503, 503]]])('that answers %j is told of', async (answers) => {
    await expect(linesOf('shlink', S, { [shlinkPage(1)]: answers })).rejects.toMatchObject({ code: 'source-refused' });
  });

  it('that may not be asked is told of', async () => {
    const refused = new AppError('outbound-refused', 'The address is not on the public internet.');
    await expect(linesOf('kutt', S, { [`${S}/api/v2/links?limit=50&skip=0`]: [refused] })).rejects.toMatchObject({
      code: 'source-unreachable',
    });
  });
});

import type { RunningStack } from '../harness/stack.js';

interface Named {
  shortCode: string;
}

/** How many visits some tagged links have, in each way in which it can be asked; numbers that are told once a second may lag. */
export async function everyNumber(
  { file: { apiUrl, apiKey } }: RunningStack,
  tag: string,
  links: readonly Named[],
): Promise<Record<string, number>> {
  const ask = async (path: string) =>
    fetch(`${apiUrl}/rest/v3/${path}`, { headers: { 'X-Api-Key': apiKey } }).then(async (response) => {
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response;
    });
  const json = async <Body>(path: string) => (await ask(path)).json() as Promise<Body>;
  const statistics = <Body>(path: string) => json<Body>(`statistics/${path}range=last7days&tag=${tag}&uniques=none`);
  const codes = new Set(links.map(({ shortCode }) => shortCode));
  const exported = (await (await ask('exports/visits?format=jsonl')).text()).split('\n').filter(Boolean);
  const { totals } = await statistics<Totals>('totals?');
  const { series } = await statistics<{ series: Counted[] }>('series?interval=hour&');
  const { values, other } = await statistics<Values>('dimensions/browser?itemsPerPage=3&');
  const visited = await statistics<{ links: { data: Counted[] } }>('links?');
  const list = await json<{ visits: { pagination: { totalItems: number } } }>(`tags/${tag}/visits?itemsPerPage=1`);
  const { tags } = await json<{ tags: { data: { tag: string; visitsSummary: Summary }[] } }>('tags/stats');
  const { shortUrls } = await json<{ shortUrls: { data: { visitsSummary: Summary }[] } }>(`short-urls?tags[]=${tag}`);
  const ofLinks = await Promise.all(links.map((link) => json<Totals>(`short-urls/${link.shortCode}/stats`)));
  return {
    totals: totals.visits,
    'classes of totals': sum(Object.values(totals.byClass)),
    series: sum(series.map(({ visits }) => visits)),
    'values and all others': sum([...values.data, other].map(({ visits }) => visits)),
    'most visited links': sum(visited.links.data.map(({ visits }) => visits)),
    export: exported.filter((line) => codes.has((JSON.parse(line) as Named).shortCode)).length,
    'list of visits': list.visits.pagination.totalItems,
    'summary of the tag': tags.data.find((one) => one.tag === tag)?.visitsSummary.total ?? 0,
    'summaries of links': sum(shortUrls.data.map(({ visitsSummary }) => visitsSummary.total)),
    'statistics of links': sum(ofLinks.map((one) => one.totals.visits)),
  };
}

interface Counted {
  visits: number;
}
interface Totals {
  totals: { visits: number; byClass: Record<string, number> };
}
interface Values {
  values: { data: Counted[] };
  other: Counted;
}
interface Summary {
  total: number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

import { type TitleRequest, TitleRequests } from '@hopcount/links';
import { OutboundFetcher } from '@hopcount/outbound';
import { isAppError } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import { pageTitle } from './page-title.js';

const INTERVAL_MS = 1_000;
/** So many hosts are asked at a time, and one page of each. */
const BATCH = 20;
const USER_AGENT = 'Mozilla/5.0 (compatible; Hopcount; title of a link)';

type Outcome = 'found' | 'none' | 'refused' | 'failed';

/** Gives links that were created without a title that of the page they lead to. Two at once take different links. */
export function resolveTitles(
  { config, database, metrics, logger }: Pick<JobsDeps, 'config' | 'database' | 'metrics' | 'logger'>,
  fetcher = new OutboundFetcher({ userAgent: USER_AGENT, allowPrivate: config.allowPrivateTargets }),
): JobDefinition {
  const requests = new TitleRequests(database);
  const work = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const taken = await requests.take(BATCH);
      if (taken.length === 0) return;
      await Promise.all(byHost(taken).map((sameHost) => resolveInTurn(sameHost, signal)));
    }
  };

  /** After a failure the rest of that host waits, too: it is asked again in a minute. */
  async function resolveInTurn(sameHost: readonly TitleRequest[], signal: AbortSignal): Promise<void> {
    for (const request of sameHost) {
      if (signal.aborted) return;
      const outcome = await resolve(request, signal);
      metrics.titles.inc({ outcome });
      if (outcome === 'failed') return;
    }
  }

  async function resolve(request: TitleRequest, signal: AbortSignal): Promise<Outcome> {
    try {
      const page = await fetcher.get(request.longUrl, { accept: 'text/html, application/xhtml+xml', signal });
      // Busy or broken for now.
      if (page.status === 429 || page.status >= 500) return 'failed';
      const title = page.status === 200 ? pageTitle(page) : null;
      if (title === null) await requests.drop(request);
      else await requests.write(request, title);
      return title === null ? 'none' : 'found';
    } catch (error) {
      if (signal.aborted || isAppError(error, 'outbound-failed')) return 'failed';
      if (!isAppError(error, 'outbound-refused')) throw error;
      logger.debug({ linkId: request.linkId, reason: error.details['reason'] }, 'a target was not asked for its title');
      await requests.drop(request);
      return 'refused';
    }
  }

  return { name: 'resolve-titles', intervalMs: INTERVAL_MS, work };
}

function byHost(requests: readonly TitleRequest[]): TitleRequest[][] {
  const hosts = new Map<string, TitleRequest[]>();
  for (const request of requests) {
    const { host } = new URL(request.longUrl);
    hosts.set(host, [...(hosts.get(host) ?? []), request]);
  }
  return [...hosts.values()];
}

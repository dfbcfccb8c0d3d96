import { answerOf, type components } from '@hopcount/client';
import { useEffect, useState } from 'react';

import { api } from '../../api/client.js';
import { BASE_PATH } from '../../app/base-path.js';
import type { Scope } from '../statistics/queries.js';
import { type FedVisit, isOfScope } from './fed-visits.js';
import { followStream, type StreamState } from './followed-stream.js';

export type LiveCounts = components['schemas']['LiveVisits'];

/** Newest first. */
export interface Feed {
  visits: FedVisit[];
  /** Some that came may not be among them. */
  hasGap: boolean;
}

export const FED_AT_MOST = 20;
/** Counts come once a second. */
const STALE_MS = 10_000;
const TOPIC = 'https://shlink.io/new-visit';

/** Visits and visitors of the last minutes, once a second; and since when nothing came, where it should have. */
export function useLiveCounts(scope: Scope, filters: readonly string[]) {
  const [state, setState] = useState<StreamState>('opening');
  const [counts, setCounts] = useState<LiveCounts>();
  const [isStale, setStale] = useState(false);
  const query = new URLSearchParams([...Object.entries(scope), ...filters.map((filter) => ['filter[]', filter])]);
  const address = `${BASE_PATH}/rest/v3/statistics/live/stream?${query.toString()}`;
  useEffect(() => {
    let timer = 0;
    const expectMore = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setStale(true), STALE_MS);
    };
    setCounts(undefined);
    setStale(false);
    expectMore();
    const stop = followStream({
      addressOf: () => Promise.resolve(address),
      onEvent: ({ data }) => {
        setCounts(JSON.parse(data) as LiveCounts);
        setStale(false);
        expectMore();
      },
      onState: setState,
    });
    return () => {
      window.clearTimeout(timer);
      stop();
    };
  }, [address]);
  return { counts, state, isStale };
}

/** Visits as they come, the last ones of them; filters do not reach them. */
export function useLiveFeed({ shortCode, domain }: Scope) {
  const [state, setState] = useState<StreamState>('opening');
  const [feed, setFeed] = useState<Feed>({ visits: [], hasGap: false });
  useEffect(() => {
    setFeed({ visits: [], hasGap: false });
    return followStream({
      addressOf: (lastEventId) => feedAddress(shortCode, lastEventId),
      onEvent: ({ type, data }) => {
        if (type === 'gap') return setFeed((before) => ({ ...before, hasGap: true }));
        const fed = JSON.parse(data) as FedVisit;
        if (!isOfScope(fed, { shortCode, domain })) return;
        setFeed((before) => ({ ...before, visits: [fed, ...before.visits].slice(0, FED_AT_MOST) }));
      },
      onState: setState,
    });
  }, [shortCode, domain]);
  return { feed, state };
}

/** With a token of its own: a stream can send no headers, and the last one may have ended. */
async function feedAddress(shortCode: string | undefined, lastEventId: string | undefined): Promise<string> {
  const { token } = await answerOf(api.GET('/rest/v3/mercure-info'));
  const query = new URLSearchParams({
    topic: shortCode === undefined ? TOPIC : `${TOPIC}/${shortCode}`,
    authorization: token,
    ...(lastEventId !== undefined && { lastEventId }),
  });
  return `${BASE_PATH}/rest/v3/live?${query.toString()}`;
}

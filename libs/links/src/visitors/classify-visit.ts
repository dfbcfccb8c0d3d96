import type { VisitClass, VisitEventV1 } from '@hopcount/contracts';
import { isbot } from 'isbot';

import { memoised } from './memoised.js';

/**
 * Agents that fetch a link to show what is behind it. Named by their fetchers, never by their apps:
 * an app's built-in browser ("Snapchat/12", "[LinkedInApp]", "Telegram-Android") carries a person.
 */
const PREVIEW_AGENTS =
  /^whatsapp\/|slackbot|slack-imgproxy|twitterbot|facebookexternalhit|facebookcatalog|facebot|meta-externalfetcher|discordbot|telegrambot|linkedinbot|mastodon\/|pleroma|akkoma|misskey\/|bluesky cardyb|skypeuripreview|microsoftpreview|bingpreview|msteams|iframely|embedly|redditbot|ms-office|microsoft office|msoffice|safelinks|snap url preview|kakaotalk-scrap|line-poker|^viber\/|vkshare|pinterest\/0|bitlybot|opengraph|quora link preview|flipboardproxy|tumblr\/|synapse \(bot|matrix-media-repo|google-pagerenderer|notionembedder|xing-contenttabreceiver|zoombot|trello|signal-desktop-preview|^signal$/i;

/** HTTP libraries that send their own name only: no person reads what they fetch. */
const BARE_CLIENTS =
  /^(dalvik|okhttp|cfnetwork|java|apache-httpclient|python|aiohttp|curl|wget|go-http-client|node|axios|undici|got|ruby|php|guzzlehttp|perl|libwww|lwp|postmanruntime|insomnia|httpie|dart)\b/i;

const PREFETCH_PURPOSE = /prefetch|prerender|preview/i;

/**
 * The class of a visit, a label. The first that applies:
 * 1. `prefetch`: the browser said it only fetches ahead, whoever is behind it.
 * 2. `preview`: a link-preview agent (also those that isbot would call bots).
 * 3. `bot`: no user agent, an HTTP library's own, or known to isbot.
 * 4. `opted-out`: DNT or GPC; what is left is a person who asked not to be followed.
 * 5. `human`.
 */
export function createClassifyVisit() {
  const classOfAgent = memoised(classifyAgent);
  return function classifyVisit(visit: Pick<VisitEventV1, 'userAgent' | 'signals'>): VisitClass {
    const { purpose, doNotTrack } = visit.signals;
    if (purpose !== null && PREFETCH_PURPOSE.test(purpose)) return 'prefetch';
    const agentClass = classOfAgent(visit.userAgent?.trim() ?? '');
    return agentClass === 'human' && doNotTrack ? 'opted-out' : agentClass;
  };
}

function classifyAgent(userAgent: string): 'preview' | 'bot' | 'human' {
  if (userAgent === '') return 'bot';
  if (PREVIEW_AGENTS.test(userAgent)) return 'preview';
  return BARE_CLIENTS.test(userAgent) || isbot(userAgent) ? 'bot' : 'human';
}

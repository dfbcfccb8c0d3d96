import type { ClassReason, VisitClass, VisitEventV1 } from '@hopcount/contracts';
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
 * 3. `bot`: no user agent, an HTTP library's own, known to isbot, or one of a flood of clicks.
 * 4. `opted-out`: DNT or GPC; what is left is a person who asked not to be followed.
 * 5. `human`.
 */
export function createClassifyVisit() {
  const judgeVisit = createJudgeVisit();
  return (visit: Judgeable): VisitClass => judgeVisit(visit).class;
}

type Judgeable = Pick<VisitEventV1, 'userAgent' | 'signals' | 'isFlood'>;

export interface Judged {
  class: VisitClass;
  reason: ClassReason;
}

/** The same with the rule that applied. */
export function createJudgeVisit() {
  const judgeAgent = memoised(judgeUserAgent);
  return function judgeVisit({ userAgent, signals, isFlood }: Judgeable): Judged {
    const { purpose, doNotTrack } = signals;
    if (purpose !== null && PREFETCH_PURPOSE.test(purpose)) return PREFETCH;
    const judged = judgeAgent(userAgent?.trim() ?? '');
    if (judged.class !== 'human') return judged;
    if (isFlood === true) return FLOOD;
    return doNotTrack ? OPTED_OUT : judged;
  };
}

const PREFETCH: Judged = { class: 'prefetch', reason: 'prefetch-header' };
const FLOOD: Judged = { class: 'bot', reason: 'click-flood' };
const OPTED_OUT: Judged = { class: 'opted-out', reason: 'do-not-track' };

function judgeUserAgent(userAgent: string): Judged {
  if (userAgent === '') return { class: 'bot', reason: 'no-agent' };
  if (PREVIEW_AGENTS.test(userAgent)) return { class: 'preview', reason: 'preview-agent' };
  if (BARE_CLIENTS.test(userAgent)) return { class: 'bot', reason: 'http-library' };
  return isbot(userAgent) ? { class: 'bot', reason: 'known-bot' } : { class: 'human', reason: 'person' };
}

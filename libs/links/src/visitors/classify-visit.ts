import type { ClassReason, VisitClass, VisitEventV1 } from '@hopcount/contracts';
import { isbot } from 'isbot';

import { memoised } from './memoised.js';

/**
 * Agents that fetch a link to show what is behind it. Named by their fetchers, never by their apps:
 * an app's built-in browser ("Snapchat/12", "[LinkedInApp]", "Telegram-Android") carries a person.
 */
const PREVIEW_AGENTS =
  /^whatsapp\/|slackbot|slack-imgproxy|twitterbot|facebookexternalhit|facebookcatalog|facebot|meta-externalfetcher|discordbot|telegrambot|linkedinbot|mastodon\/|pleroma|akkoma|misskey\/|bluesky cardyb|skypeuripreview|microsoftpreview|bingpreview|msteams|iframely|embedly|redditbot|ms-office|microsoft office|msoffice|safelinks|snap url preview|kakaotalk-scrap|line-poker|^viber\/|vkshare|pinterest\/0|bitlybot|opengraph|quora link preview|flipboardproxy|tumblr\/|synapse \(bot|matrix-media-repo|google-pagerenderer|notionembedder|xing-contenttabreceiver|zoombot|trello|signal-desktop-preview|^signal$/i;

/** Programs for mail load pictures and previews of messages; a click in one opens the browser. */
const MAIL_PROGRAMS =
  /outlook|thunderbird|\bpostbox\/|(?:air|aqua|blue|claws|fair|fox|k-9 ?|nylas|poly|proton|r2|squirrel|zoho)mail|\bk?mail2?\/|\bmail(?:mate|spring|bird)|\b(?:em ?client|eudora|kontact|lotus-notes|sparkdesktop|spicebird|tutanota|zdesktop|zimbra|superhuman|(?:evolution|sparrow)\/\d)/i;

/** Apple's own fetchers load icons, previews and pages to be read later. */
const APPLE_FETCHERS =
  /\b(?:networkingextension|safarifetcherd|springboard|nsurlsessiond)\b|^mobilesafari\/|\bcom\.apple\./i;

/** HTTP libraries and shells, by their own name or beside that of an app: no person reads what they fetch. */
const HTTP_LIBRARIES =
  /^(?:java|apache-httpclient|python|aiohttp|curl|wget|go-http-client|node|axios|undici|got|ruby|php|guzzlehttp|perl|libwww|lwp|postmanruntime|insomnia|httpie|dart)\b|\b(?:cfnetwork|dalvik|okhttp|alamofire|afnetworking|jsdom)\b|powershell\//i;

/** Tools that isbot leaves to people, and one that has its name where others have the model of a phone. */
const TOOLS =
  /\bgtmetrix\b|; catchpoint\)|miniature\.io|\) ylt chrome|tsm-turingos|amzn-user|assetnote|lucidworks|yahoo! slurp|laravel reaver|barracuda sentinel|\b360jk\b|\bhlb\/|firefoxversion/i;

/**
 * What isbot takes for the name of a bot and is none: models of Android devices (CUBOT, "M bot 60", "GLX Spider"), what WeChat
 * and Alipay say of their views, the Java of feature phones, systems in version 1.0, and browsers named like their maker's crawler.
 */
const NO_BOTS =
  /(?<=\bAndroid [\d.]+; ?(?:[a-z]{2}[-_][a-z]{2}; ?)?)[^;()/]+(?=[;)]| Build\/)|\bGoogleTV\b|\bProcess\/tools\b|\bAlipayDefined\([^)]*\)|\bJava(?:Platform)?\/(?=[A-Z])|java_runtime_version|\b(?:SAMSUNG-[\w-]+|Bada|Tizen|webOS)\/1\.0(?=;)|\bQQDownload\b|\bSogou(?:MSE|MobileBrowser|AndroidBrowser|Search)\b/gi;

/** Browsers of text consoles that isbot takes for a tool by their bare name. */
const TEXT_BROWSERS = /^(?:emacs-)?w3m\/|^(?:netsurf|dillo|uzbl)\b/i;

/**
 * What a browser says of itself: `Mozilla`, an engine, that it is a browser, the profile of a feature phone, or the name of one
 * that says nothing else. Requests that an app makes on its own have none of these.
 */
const BROWSERS =
  /\bmozilla\b|opera|applewebkit|gecko\/|trident|msie|browser|webview|hbbtv|mosaic|midp-?\d|cldc|\bup\.link|uc ?web|netfront|obigo|polaris\/|teleca|dolfin|novarra|\bwap\d?\b|blackberry|symbian|windows ce|docomo|kddi-|softbank\/|j-phone|vodafone\/|^(?:nokia|samsung-|sec-|sie-|mot-|sony ?ericsson|safari\/)|^(?:e?links|lynx|i?cab|ibrowse|amiga|voyager|konqueror|flock|xombrero|midori|doris|omniweb)/i;

const PREFETCH_PURPOSE = /prefetch|prerender|preview/i;

/**
 * The class of a visit, a label. The first that applies:
 * 1. `prefetch`: the browser said it only fetches ahead, whoever is behind it.
 * 2. `preview`: an agent that shows what is behind a link (also those that isbot would call bots).
 * 3. `bot`: no user agent, an HTTP library's or an app's own, known to isbot, or one of a flood of clicks.
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

const PREVIEW: Judged = { class: 'preview', reason: 'preview-agent' };
const LIBRARY: Judged = { class: 'bot', reason: 'http-library' };
const PERSON: Judged = { class: 'human', reason: 'person' };

function judgeUserAgent(userAgent: string): Judged {
  if (userAgent === '') return { class: 'bot', reason: 'no-agent' };
  if (PREVIEW_AGENTS.test(userAgent) || MAIL_PROGRAMS.test(userAgent) || APPLE_FETCHERS.test(userAgent)) return PREVIEW;
  if (HTTP_LIBRARIES.test(userAgent)) return LIBRARY;
  if (TEXT_BROWSERS.test(userAgent)) return PERSON;
  if (isKnownBot(userAgent)) return { class: 'bot', reason: 'known-bot' };
  return BROWSERS.test(userAgent) ? PERSON : LIBRARY;
}

function isKnownBot(userAgent: string): boolean {
  if (TOOLS.test(userAgent)) return true;
  if (!isbot(userAgent)) return false;
  const rest = userAgent.replace(NO_BOTS, '');
  return rest === userAgent || isbot(rest);
}

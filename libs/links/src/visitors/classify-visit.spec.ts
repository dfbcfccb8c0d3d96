import { describe, expect, it } from '@jest/globals';

import { createClassifyVisit, createJudgeVisit, type Judged } from './classify-visit.js';
import { createLabelRules } from './label-rules.js';
import { judgeLabels } from './labels.spec-helpers.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const phone = (system: string) =>
  `Mozilla/5.0 (Linux; ${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/71.0.3578.99 Mobile Safari/537.36`;
const classifyVisit = createClassifyVisit();
const classOf = (userAgent: string | null, signals = { purpose: null as string | null, doNotTrack: false }) =>
  classifyVisit({ userAgent, signals });

describe('classifyVisit', () => {
  it.each([
    CHROME,
    `${IPHONE} Snapchat/12.95.0.44 (like Safari/8618.2.12.10.9, panda)`,
    `${IPHONE} [LinkedInApp]/9.29.8962`,
    `${IPHONE} [FBAN/FBIOS;FBAV/468.0.0.33.110;FBBV/609168379;FBDV/iPhone14,5;FBMD/iPhone]`,
    'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A.240505.005; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.6367.113 Mobile Safari/537.36 Telegram-Android/10.12.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Teams/1.6.00.4472 Chrome/102.0.5005.167 Electron/19.1.8 Safari/537.36',
  ])('takes an app with a person in front of it for a human: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('human');
  });

  it.each([
    'WhatsApp/2.23.20.0 A',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Twitterbot/1.0',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'TelegramBot (like TwitterBot)',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mastodon/4.2.8 (http.rb/5.1.1; +https://mastodon.social/)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    'Iframely/1.3.1 (+https://iframely.com/docs/about)',
    'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17126; Pro)',
    'Mozilla/5.0 (compatible; Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots)',
    'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  ])('knows a link preview: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('preview');
  });

  it.each([
    null,
    '',
    '   ',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'curl/8.4.0',
    'Dalvik/2.1.0 (Linux; U; Android 13; SM-A536B Build/TP1A.220624.014)',
    'okhttp/4.12.0',
    'python-requests/2.31.0',
    'Go-http-client/1.1',
    'Java/17.0.9',
  ])('takes a machine for a bot: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('bot');
  });

  it.each([
    'SomeApp/1 CFNetwork/1494.0.7 Darwin/23.4.0',
    'Some%20App/312 (unknown version) CFNetwork/758.1.2 Darwin/15.0.0',
    'ESPN App/6.12.0 Dalvik/2.1.0 (Linux; U; Android 9; SM-G965U Build/PPR1.180610.011)',
    'SomeApp/3.1 okhttp/4.12.0',
    'SomeApp/1.0 (com.example.app; build:1; iOS 17.0.0) Alamofire/5.4.0',
    'SomeApp/2.17 (iPhone; iOS 17.1.2; Scale/3.00)',
    'AppleCoreMedia/1.0.0.15D61 (HomePod; U; CPU OS 11_2_5 like Mac OS X; en_us)',
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041.5737',
    'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.15063; en-US) PowerShell/6.0.0',
    // Opens the links of messages before anybody reads them.
    'Mozilla/5.0 (compatible; Barracuda Sentinel (EE))',
  ])('takes what an app or a shell fetches on its own for a bot: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('bot');
  });

  it.each([
    'NetworkingExtension/8618.1.15.10.15 CFNetwork/1494.0.7 Darwin/23.4.0',
    'com.apple.WebKit.Networking/8614.2.9.0.10 CFNetwork/1399 Darwin/22.1.0',
    'MobileSafari/9537.53 CFNetwork/672.0.2 Darwin/14.0.0',
    'safarifetcherd/604.1 CFNetwork/1410.0.3 Darwin/22.6.0',
    'SpringBoard/50 CFNetwork/1220.1 Darwin/20.3.0',
    'Outlook-iOS/709.2189947.prod.iphone (3.24.0)',
    'Outlook-Express/7.0 (MSIE 7.0; Windows NT 6.1; Trident/7.0; SLCC2; .NET CLR 2.0.50727)',
    'MacOutlook/16.78.23100802 (Intelx64 Mac OS X Version 14.1 (Build 23B74))',
    'Mail/3826.500.181.1.5 CFNetwork/3826.500.111.1.1 Darwin/24.4.0',
    'Mozilla/5.0 (X11; Linux x86_64; rv:78.0) Gecko/20100101 Thunderbird/78.13.0',
    `${CHROME.replace('Chrome/', 'Mailspring/1.7.8 Chrome/')}`,
  ])('takes a fetcher of Apple or a program for mail for a preview: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('preview');
  });

  it.each([
    phone('Android 7.0; M bot 60 Build/NRD90M'),
    phone('Android 7.0; M bot 60'),
    phone('Android 6.0; VR BOT 552 PLUS Build/MRA58K'),
    phone('Android 7.1.1; M_bot_tab_1150 Build/N9F27F'),
    phone('Android 10; CUBOT_X30'),
    phone('Android 9;CUBOT KING KONG'),
    phone('U; Android 4.2.1; de-de; CUBOT ONE Build/JOP40D'),
    phone('Android 4.4.2; GLX SpiderI Build/KOT49H'),
    phone('U; Android 4.3; en-us; Google Nexus 4 - 4.3 - API 18 - 768x1280 Build/JLS36G'),
    `${phone('Android 9; NX629J Build/PKQ1.190321.001; wv')} MicroMessenger/7.0.10.1580(0x27000A34) Process/tools NetType/WIFI`,
    `${phone('Android 10; V2034A')} NebulaSDK/1.8.1 Nebula AlipayDefined(nt:WIFI,ws:360|0|2.0) AliApp(AP/10.2.51.7100)`,
    'NetSurf/3.10 (Linux)',
    'w3m/0.5.3+git20230121',
    'DoCoMo/2.0 SH06B(c500;TB;W24H16)',
  ])('takes no browser for a bot by a word that only looks like one: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('human');
  });

  it.each([
    `${phone('Android 6.0.1; Nexus 5X Build/MMB29P')} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    `${phone('Android 7.0; SomeBot/1.0')}`,
    `${phone('Android 7.0; CUBOT')} (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)`,
    `${phone('U; Android 4.0.2; en-us; Catchpoint')}`,
  ])('still takes a crawler that looks like a phone for a bot: %s', (userAgent) => {
    expect(classOf(userAgent)).toBe('bot');
  });

  it('D5: puts prefetch first and opted-out last', () => {
    expect(classOf('Twitterbot/1.0', { purpose: 'prefetch;prerender', doNotTrack: true })).toBe('prefetch');
    expect(classOf(CHROME, { purpose: 'Preview', doNotTrack: false })).toBe('prefetch');
    expect(classOf(CHROME, { purpose: 'navigate', doNotTrack: false })).toBe('human');
    expect(classOf('Twitterbot/1.0', { purpose: null, doNotTrack: true })).toBe('preview');
    expect(classOf('curl/8.4.0', { purpose: null, doNotTrack: true })).toBe('bot');
    expect(classOf(CHROME, { purpose: null, doNotTrack: true })).toBe('opted-out');
    // The cache keeps what the agent says, not what this visitor asked for.
    expect(classOf(CHROME)).toBe('human');
  });

  it.each([
    [CHROME, null, false, 'person'],
    [CHROME, null, true, 'do-not-track'],
    [CHROME, 'prefetch', true, 'prefetch-header'],
    ['WhatsApp/2.23.20.0 A', null, true, 'preview-agent'],
    [' ', null, false, 'no-agent'],
    ['curl/8.4.0', null, false, 'http-library'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', null, true, 'known-bot'],
  ])('says which rule applied: %s', (userAgent, purpose, doNotTrack, reason) => {
    const judged = createJudgeVisit()({ userAgent, signals: { purpose, doNotTrack } });
    expect(judged).toEqual({ reason, class: classOf(userAgent, { purpose, doNotTrack }) });
  });

  it.each([
    [CHROME, false, { class: 'bot', reason: 'click-flood' }],
    [CHROME, true, { class: 'bot', reason: 'click-flood' }],
    ['curl/8.4.0', false, { class: 'bot', reason: 'http-library' }],
  ] as [string, boolean, Judged][])(
    'takes no visit of a flood for one of a person: %s',
    (userAgent, doNotTrack, judged) => {
      const visit = { userAgent, signals: { purpose: null, doNotTrack }, isFlood: true as const };
      expect(createJudgeVisit()(visit)).toEqual(judged);
      // Nor when the rules of later are applied to what is kept of it.
      const kept = { class: judged.class, classReason: judged.reason, userAgent, isImported: false };
      expect(createLabelRules().classOf({ ...kept, isAnonymous: doNotTrack })).toEqual(judged);
    },
  );

  it('knows of a flood as long as its agent is taken for a bot', () => {
    const kept = { class: 'bot', classReason: 'click-flood', isImported: false, isAnonymous: false } as const;
    expect(createLabelRules().classOf({ ...kept, userAgent: 'curl/8.4.0' })).toEqual({
      class: 'bot',
      reason: 'click-flood',
    });
  });

  // The corpora are pinned; `npm run bench -- --only labels` judges systems and browsers of all agents.
  it('is right about agents that nobody here wrote, and so are systems, browsers and devices', () => {
    expect(judgeLabels(150)).toEqual({
      bots: { right: 2113, wrong: 5, unknown: 0 },
      people: { right: 952, wrong: 0, unknown: 0 },
      device: { right: 952, wrong: 0, unknown: 0 },
      system: { right: 150, wrong: 0, unknown: 0 },
      browser: { right: 137, wrong: 3, unknown: 0 },
    });
  });
});

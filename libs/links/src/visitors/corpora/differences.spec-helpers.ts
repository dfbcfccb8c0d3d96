import type { VisitClass } from '@hopcount/contracts';

interface Difference {
  agents: RegExp;
  class: VisitClass;
  reason: string;
}

/** Agents that a list has for browsers and that no person uses to follow a link. */
export const NO_PEOPLE: readonly Difference[] = [
  {
    agents: /dalvik|cfnetwork\/|^(?:python|curl|libwww)|mozacfetch/i,
    class: 'bot',
    reason:
      'an HTTP library: apps fetch with it by themselves, and open links in a browser or WebView, whose agent is another',
  },
  {
    agents:
      /^(?:ExampleApp|fuboTV|GOGGalaxyClient|hulu|retweet|Job Search\/\d+\.0 \(|GoogleApp|com\.tinyspeck|APP-|ios\/iPhone|Roku|PodcastRepublic|PS4Application|MyLib)|^\[FBAN|Linux UPnP|^Linux; U/i,
    class: 'bot',
    reason: 'requests that an app or a device makes on its own: no engine shows a page',
  },
  {
    agents:
      /QuickTime|RadiosNet|ExoPlayerLib|Streaming Player|LG Player|AppleCoreMedia|AlexaWebMediaPlayer|XBMC|iTunes\//,
    class: 'bot',
    reason: 'a player fetches what it plays; the visit of the page before was the person',
  },
  {
    agents: /Outlook|MSOffice|Microsoft Office|Thunderbird|Postbox/,
    class: 'preview',
    reason: 'programs for mail and office load pictures and look links up; a click in them opens the browser',
  },
  {
    agents: /com\.apple\.WebKit|NetworkingExtension|MobileSafari\/\d+\.\d+ CFNetwork|SpringBoard/,
    class: 'preview',
    reason: 'fetchers of Apple for icons, previews and pages to be read later',
  },
  { agents: /^Viber\/|^pinterest\/0/, class: 'preview', reason: 'fetches what a message or pin shows of a link' },
  {
    agents: /HeadlessChrome|PhantomJS|GTmetrix|YLT Chrome|Miniature\.io|turingos|Assetnote|Amzn-User/,
    class: 'bot',
    reason: 'a browser without a screen, or one that says which tool drives it',
  },
  {
    agents: /Lucidworks|Laravel Reaver|HLB\/|360JK|Yahoo! Slurp|firefoxversion|amazon-kendra/,
    class: 'bot',
    reason: 'a crawler or probe that isbot finds too rare to be worth a pattern',
  },
  { agents: /PG_SLEEP|<\?=print/, class: 'bot', reason: 'an attack written into the header' },
  { agents: /^User-Agent: /, class: 'bot', reason: 'a script that sends the name of the header in its value' },
  {
    agents: /ICEbrowser|^Contiki|^server-bag|^Watch4|^atc\/1\.0/,
    class: 'bot',
    reason: 'a component for programs, a toy, and watches that fetch for themselves',
  },
];

/** Agents that a list has for crawlers and that people use. */
export const NO_CRAWLERS: readonly Difference[] = [
  { agents: /SogouMSE,SogouMobileBrowser/, class: 'human', reason: 'a browser for phones; ua-parser-js lists it, too' },
  {
    agents: /Instagram [\d.]+ Android|MetaIAB Facebook/,
    class: 'human',
    reason: 'browsers inside apps, with a person in front',
  },
  { agents: /Code\/|Trae\//, class: 'human', reason: 'editors that show pages; isbot lists them as browsers' },
  { agents: /Fluid\//, class: 'human', reason: 'a browser for one site on a Mac' },
];

/** Players are no browsers; these are both, or a phone. */
export const PLAYERS_OF_PEOPLE: readonly Difference[] = [
  { agents: /^AppleTV\/|Songbird/, class: 'human', reason: 'a player that is built as a browser and says so' },
  { agents: /^Nokia303/, class: 'human', reason: 'the browser of a feature phone' },
];

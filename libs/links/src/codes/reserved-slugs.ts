/** First path segments a link may never take: routes of our processes, and what crawlers and proxies ask for. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  ...['api', 'rest', 'admin', 'dashboard', 'app', 'login', 'logout', 'signin', 'signup', 'register', 'account'],
  ...['auth', 'oauth', 'oauth2', 'sso', 'user', 'users', 'settings', 'graphql', 'webhook', 'webhooks', 'events'],
  ...['health', 'healthz', 'livez', 'readyz', 'metrics', 'status', 'ping', 'version', 'debug'],
  ...['robots.txt', 'favicon.ico', 'sitemap.xml', 'sitemap', 'ads.txt', 'security.txt', 'humans.txt', '.well-known'],
  ...['apple-touch-icon.png', 'apple-touch-icon-precomposed.png', 'manifest.json', 'site.webmanifest', 'sw.js'],
  ...['crossdomain.xml', 'browserconfig.xml', 'index.html', 'index.htm', 'openapi.json', 'docs', 'swagger'],
  ...['static', 'assets', 'public', 'images', 'img', 'css', 'js', 'fonts', 'media', 'qr', 'track', 'preview'],
  ...['shorten', 'server', 'manage-servers', 'cgi-bin', 'wp-admin', 'wp-login', 'cdn-cgi', 'null', 'undefined'],
]);

/** Letters of other scripts that look like these Latin ones; enough to recognise a word in disguise. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', һ: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', н: 'h', о: 'o' },
  ...{ р: 'p', ԛ: 'q', ѕ: 's', т: 't', у: 'y', ѵ: 'v', ԝ: 'w', х: 'x' },
  ...{ ɑ: 'a', ɡ: 'g', ɩ: 'i', ո: 'n', օ: 'o', ս: 'u', հ: 'h', ց: 'g', զ: 'q', յ: 'j', г: 'r', ь: 'b', з: '3' },
  ...{ α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
};

const ASCII = /^[\0-\x7f]*$/;
const SHARES_SHAPES =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;

/** ASCII letters as they are drawn elsewhere (full-width, circled, mathematical), and those of phonetic script. */
const DRAWN_ASCII = /[\uff01-\uff5e\u249c-\u24e9\u{1d400}-\u{1d7ff}\u{1f110}-\u{1f189}ɑɡ]/u;

/**
 * Whether a slug as the client wrote it is, or leads to, a reserved one: percent escapes, full-width
 * forms, look-alikes, letter case and slashes at the ends do not hide it; `.`, `..`, a leading `_`
 * and script names are reserved as families.
 */
export function isReservedSlug(slug: string): boolean {
  // A letter of Turkish words: alike only where a word is reserved.
  const segments = skeleton(slug).replaceAll('ı', 'i').split(/[/\\]/);
  if (segments.some((segment) => segment === '.' || segment === '..')) return true;
  const words = segments.filter((segment) => segment !== '');
  const only = words.length === 1 ? (words[0] as string) : undefined;
  if (only === undefined) return false;
  return RESERVED_SLUGS.has(only) || only.startsWith('_') || /\.(php|asp|aspx|jsp|cgi|env)$/.test(only);
}

/**
 * Whether a slug reads like another one: all of it like letters and digits of ASCII though it is none, or letters of Latin
 * among those of scripts that share their shapes. Look-alikes within ASCII (l, I, 1) are letters of their own.
 */
export function looksLikeAnother(slug: string): boolean {
  const sharesShapes = SHARES_SHAPES.test(slug);
  if (sharesShapes && /\p{Script=Latin}/u.test(slug)) return true;
  return (sharesShapes || DRAWN_ASCII.test(slug)) && ASCII.test(skeleton(slug));
}

function skeleton(slug: string): string {
  const folded = decodePercent(slug).normalize('NFKC').trim().toLowerCase();
  return [...folded].map((character) => LOOK_ALIKES[character] ?? character).join('');
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No percent-encoding: compared as it stands.
    return text;
  }
}

import { createHash } from 'node:crypto';

import { ANSWER_HEADERS } from '@hopcount/runtime';

const HTML = 'text/html; charset=utf-8';

/** Of all pages: nothing else of a page's own is allowed, and no script at all. */
const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif;
  background: #f6f7f9; color: #1c2430 }
main { padding: 2rem; max-width: 30rem; box-sizing: border-box }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
p { margin: 0 0 1rem; color: #566072 }
code { white-space: nowrap }
.wrong, .host { color: inherit; font-weight: 600; overflow-wrap: anywhere }
label { display: block; font-weight: 600 }
input, select { font: inherit; box-sizing: border-box; width: 100%; padding: .5rem; margin: .25rem 0 1rem; color: inherit;
  background: #fff; border: 1px solid #6b7688; border-radius: .25rem }
button { font: inherit; font-weight: 600; padding: .5rem 1rem; border: 0; border-radius: .25rem; cursor: pointer;
  background: #1c4fd8; color: #fff }
details { margin-top: 2rem; font-size: .875rem }
summary { cursor: pointer; color: #566072; margin-bottom: 1rem }
:focus-visible { outline: 3px solid #1c4fd8; outline-offset: 2px }
@media (prefers-color-scheme: dark) {
  body { background: #14181f; color: #e8ebf0 }
  p, summary { color: #9aa5b5 }
  input, select { background: #1c222c; border-color: #8894a6 }
  button { background: #8ab0ff; color: #10151d }
  :focus-visible { outline-color: #8ab0ff }
}
`;
/**
 * No form-action: a form that is sent answers with a redirect to the link, which leads to any host, and Chromium holds every
 * step of it against that directive. There is nothing in a page of ours that could name another address to send it to.
 */
const OF_PAGES = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** One transparent dot. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export interface Page {
  status: number;
  headers: string[];
  body: Buffer;
}

/** Everything the gateway says besides redirects, ready to be written: raw header pairs and bytes. */
export const PAGES = {
  notFound: textualPage(404, 'Link not found', 'This short link does not exist, or no longer.'),
  blocked: textualPage(410, 'Link blocked', 'Whoever runs this service has blocked this link.'),
  plainNotFound: page(404, 'text/plain; charset=utf-8', 'Not found\n'),
  unavailable: textualPage(503, 'Back in a moment', 'This link cannot be opened right now.', ['retry-after', '2']),
  /** Short: it costs least when there is least to spare. */
  busy: page(503, 'text/plain; charset=utf-8', 'Too many requests here. Try again in a moment.\n', [
    'retry-after',
    '1',
  ]),
  tooMany: textualPage(429, 'Too many requests', 'Please wait a moment and try again.'),
  pixel: page(200, 'image/gif', DOT),
  notAForm: page(415, 'text/plain; charset=utf-8', 'Send application/x-www-form-urlencoded\n'),
  formTooLarge: page(413, 'text/plain; charset=utf-8', 'Too large\n'),
  formTooSlow: page(408, 'text/plain; charset=utf-8', 'Too slow\n'),
  methodNotAllowed: page(405, 'text/plain; charset=utf-8', 'Method not allowed\n', ['allow', 'GET, HEAD']),
} satisfies Record<string, Page>;

/** @param content HTML; whatever others have written in it is escaped */
export function htmlPage(status: number, title: string, content: string, more: string[] = []): Page {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${title}</h1>
${content}
</main></body>
</html>
`;
  return page(status, HTML, html, more);
}

function textualPage(status: number, title: string, text: string, more: string[] = []): Page {
  return htmlPage(status, title, `<p>${text}</p>`, more);
}

function page(status: number, contentType: string, content: string | Buffer, more: string[] = []): Page {
  const body = Buffer.from(content);
  const headers = [
    ...['content-type', contentType, 'content-length', String(body.length)],
    ...['cache-control', 'no-store'],
    ...Object.entries({ ...ANSWER_HEADERS, ...(contentType === HTML && OF_PAGES) }).flat(),
    ...more,
  ];
  return { status, headers, body };
}

const HTML = 'text/html; charset=utf-8';

/** One transparent dot. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export interface Page {
  status: number;
  headers: string[];
  body: Buffer;
}

/** Everything the gateway says besides redirects, ready to be written: raw header pairs and bytes. */
export const PAGES = {
  notFound: page(404, HTML, htmlPage('Link not found', 'This short link does not exist, or no longer.')),
  blocked: page(410, HTML, htmlPage('Link blocked', 'Whoever runs this service has blocked this link.')),
  plainNotFound: page(404, 'text/plain; charset=utf-8', 'Not found\n'),
  unavailable: page(503, HTML, htmlPage('Back in a moment', 'This link cannot be opened right now.'), [
    'retry-after',
    '2',
  ]),
  tooMany: page(429, HTML, htmlPage('Too many requests', 'Please wait a moment and try again.')),
  pixel: page(200, 'image/gif', DOT),
  methodNotAllowed: page(405, 'text/plain; charset=utf-8', 'Method not allowed\n', ['allow', 'GET, HEAD']),
} satisfies Record<string, Page>;

export function textPage(text: string): Page {
  return page(200, 'text/plain; charset=utf-8', text);
}

function page(status: number, contentType: string, content: string | Buffer, more: string[] = []): Page {
  const body = Buffer.from(content);
  const headers = [
    ...['content-type', contentType, 'content-length', String(body.length)],
    ...['cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
    ...more,
  ];
  if (contentType === HTML) {
    headers.push('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  }
  return { status, headers, body };
}

function htmlPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif;
  background: #f6f7f9; color: #1c2430 }
main { padding: 2rem; max-width: 30rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
p { margin: 0; color: #566072 }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #e8ebf0 } p { color: #9aa5b5 } }
</style>
</head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`;
}

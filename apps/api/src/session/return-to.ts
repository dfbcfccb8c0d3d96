import { AppError } from '@hopcount/runtime';

/** One slash: two, or a backslash, which browsers take for one, would begin another host. */
const PATH = /^\/(?![/\\])[\x21-\x7e]{0,1000}$/;

/** Where a browser goes when it is signed in: whole, and never to another origin. @throws AppError `invalid-data` */
export function parseReturnTo(path: string | undefined, apiUrl: string): string {
  if (path === undefined) return `${apiUrl}/rest/docs`;
  const { origin } = new URL(apiUrl);
  const url = PATH.test(path) && URL.canParse(path, origin) ? new URL(path, origin) : undefined;
  if (url !== undefined && url.origin === origin) return url.href;
  throw new AppError('invalid-data', 'Give a path of this server that begins with one slash.', {
    details: { invalidElements: ['returnTo'] },
  });
}

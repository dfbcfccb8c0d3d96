/** Where somebody goes when signed in: an address of these pages, whatever stands in the link that they followed. */
export function safeReturnTo(given: string | undefined, basePath: string): string {
  const home = `${basePath}/`;
  if (given === undefined || !/^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(given)) return home;
  const url = new URL(given, 'http://here');
  return url.host === 'here' && url.pathname.startsWith(home) ? `${url.pathname}${url.search}${url.hash}` : home;
}

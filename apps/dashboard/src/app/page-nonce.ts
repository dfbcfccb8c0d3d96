/** What the styles that components add while they are shown must carry: without it the page's policy refuses them. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';

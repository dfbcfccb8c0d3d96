import type { FastifyInstance } from 'fastify';

/** The page of the dashboard that links of invites lead to; the token stands behind a `#`. */
export const INVITE_PAGE = '/invite';
/** Where they led before there was a dashboard. */
const EARLIER_PAGE = '/rest/invite';

/** Browsers take what is behind the `#` along. The address is relative: the api may be reached under a path. */
export function serveEarlierInvites(server: FastifyInstance): void {
  server.get(EARLIER_PAGE, (_request, reply) => reply.redirect(`..${INVITE_PAGE}`, 302));
}

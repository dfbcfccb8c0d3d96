import { createRouter, type RouteIds } from '@tanstack/react-router';

import { alertsRoute } from '../pages/alerts/route.js';
import { apiKeysRoute } from '../pages/api-keys/route.js';
import { inviteRoute } from '../pages/invite/route.js';
import { importRoute } from '../pages/import/route.js';
import { linkRoute } from '../pages/link/route.js';
import { linksRoute } from '../pages/links/route.js';
import { overviewRoute } from '../pages/overview/route.js';
import { profileRoute } from '../pages/profile/route.js';
import { recycleBinRoute } from '../pages/recycle-bin/route.js';
import { statisticRoute } from '../pages/statistic/route.js';
import { hostsRoute } from '../pages/hosts/route.js';
import { linkVisitsRoute } from '../pages/link-visits/route.js';
import { orphanVisitsRoute } from '../pages/orphan-visits/route.js';
import { signInRoute } from '../pages/sign-in/route.js';
import { systemRoute } from '../pages/system/route.js';
import { usersRoute } from '../pages/users/route.js';
import { tagsRoute } from '../pages/tags/route.js';
import { domainsRoute } from '../pages/domains/route.js';
import { groupsRoute } from '../pages/groups/route.js';
import { webhooksRoute } from '../pages/webhooks/route.js';
import { blocksRoute } from '../pages/blocks/route.js';
import { auditLogRoute } from '../pages/audit-log/route.js';
import { settingsRoute } from '../pages/settings/route.js';
import { shareRoute } from '../pages/share/route.js';
import { askSessionEarly } from '../features/session/session.js';
import { ErrorPage } from '../ui/ErrorPage.js';
import { NotFoundPage } from '../ui/NotFoundPage.js';
import { BASE_PATH } from './base-path.js';
import { administrationRoute, rootRoute, signedInRoute } from './routes.js';
import { formatSearch, parseSearch } from './search.js';

/** Each page is a folder with a route of its own; here they come together. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  inviteRoute,
  shareRoute,
  signedInRoute.addChildren([
    overviewRoute,
    linksRoute,
    linkRoute,
    recycleBinRoute,
    importRoute,
    linkVisitsRoute,
    statisticRoute,
    hostsRoute,
    orphanVisitsRoute,
    alertsRoute,
    profileRoute,
    settingsRoute,
    tagsRoute,
    domainsRoute,
    groupsRoute,
    administrationRoute.addChildren([apiKeysRoute, usersRoute, webhooksRoute, blocksRoute, auditLogRoute, systemRoute]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: BASE_PATH || '/',
  parseSearch,
  stringifySearch: formatSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
});

/** Asks for all that the page of this address needs at once, where the router would ask for one after the other. */
export function preloadPage(): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation) as { routeId: RouteIds<typeof routeTree> }[]) {
    if (routeId === signedInRoute.id) askSessionEarly();
    void router.loadRouteChunk(router.routesById[routeId]);
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

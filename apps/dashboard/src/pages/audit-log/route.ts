import { createRoute } from '@tanstack/react-router';

import { administrationRoute } from '../../app/routes.js';
import { lazyPage } from '../../ui/lazy-part.js';
import { type AuditAsked, parseAsked } from './audit-query.js';

export const auditLogRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/audit-log',
  validateSearch: (search: Record<string, unknown>): AuditAsked => parseAsked(search),
  component: lazyPage(() => import('./AuditLogPage.js'), 'AuditLogPage'),
});

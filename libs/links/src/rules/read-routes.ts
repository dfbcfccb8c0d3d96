import type { Queryable } from '@hopcount/postgres';

import type { LinkRoutes } from './redirect-rules.js';

const READ_ROUTES = `
  SELECT long_url AS "longUrl", coalesce(redirect_rules, '[]') AS "redirectRules", coalesce(split, '[]') AS split, version
  FROM links WHERE id = $1 AND deleted_at IS NULL`;

/** All of where a link leads, as of one version; undefined when it is gone. */
export async function readRoutes(
  database: Queryable,
  linkId: string,
): Promise<(LinkRoutes & { longUrl: string; version: string }) | undefined> {
  const [routes] = await database.query<LinkRoutes & { longUrl: string; version: string }>(READ_ROUTES, [linkId]);
  return routes;
}

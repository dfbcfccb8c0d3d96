import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { isReservedSlug } from './reserved-slugs.js';

const GATEWAY = fileURLToPath(new URL('../../../../apps/gateway/src/', import.meta.url));
/** Decorators, `server.get('/x')`, `case '/x'`, `=== '/x'`, and members of a list of paths. */
const ROUTES =
  /(?:@(?:Get|Post|Put|Patch|Delete|All|Head|Controller)\(\s*|\.(?:get|post|route)\(\s*|case |=== ?|[[,] *)'(\/?[\w.-]+)'/g;

describe('the gateway and the reserved slugs', () => {
  it('share no address: whatever the gateway serves itself can be no code', () => {
    const routes = new Set<string>();
    for (const file of readdirSync(GATEWAY, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
      for (const [, path] of readFileSync(`${GATEWAY}${file}`, 'utf8').matchAll(ROUTES)) {
        if (path?.startsWith('/') === true) routes.add(path.slice(1));
      }
    }
    expect([...routes]).toEqual(expect.arrayContaining(['livez', 'readyz', 'metrics']));
    expect([...routes].filter((route) => !isReservedSlug(route))).toEqual([]);
  });
});

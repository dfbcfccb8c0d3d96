import type { Queryable } from '@hopcount/postgres';
import { Registry } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { measureBacklogs } from './backlogs.js';

describe('the backlog gauges', () => {
  const pageOver = async (query: () => Promise<unknown>) => {
    const registry = new Registry();
    measureBacklogs(registry, { query } as unknown as Queryable, { warn: () => undefined });
    return registry.metrics();
  };

  it('tell how much waits', async () => {
    const page = await pageOver(() => Promise.resolve([{ backlog: 'link_changes', rows: 7 }]));
    expect(page).toContain('hopcount_backlog_rows{backlog="link_changes"} 7');
  });

  it('are absent, and the page is answered, while PostgreSQL refuses or hangs', async () => {
    const refused = await pageOver(() => Promise.reject(new Error('away')));
    const hanging = await pageOver(() => new Promise(() => undefined));
    for (const page of [refused, hanging]) {
      expect(page).toContain('# TYPE hopcount_backlog_rows gauge');
      expect(page).not.toContain('hopcount_backlog_rows{');
    }
  });
});

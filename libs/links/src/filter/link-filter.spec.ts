import type { Transaction } from '@hopcount/postgres';
import { describe, expect, it } from '@jest/globals';

import { LinkFilter } from './link-filter.js';

describe('LinkFilter', () => {
  it('creates no link, and has it tried again later, when gateways come to believe in the filter again each time', async () => {
    const asked: string[] = [];
    const tx = {
      query: (text: string) => {
        asked.push(text);
        return Promise.resolve([{ current: { generation: 'g' }, building: null, isCurrentWhole: true }]);
      },
    } as unknown as Transaction;
    const withoutRedis = new LinkFilter(undefined, 1);
    const state = { current: 'g', building: null, isCurrentWhole: true };
    const creating = withoutRedis.around(tx, async () =>
      withoutRedis.expectAdded(await withoutRedis.addLinks(tx, ['code:a']), state),
    );
    await expect(creating).rejects.toMatchObject({ code: 'link-filter-unsettled', retryable: true });
    expect(asked.filter((text) => text.startsWith('INSERT INTO link_filter_gaps'))).toHaveLength(4);
  });
});

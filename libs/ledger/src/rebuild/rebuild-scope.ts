import type { LedgerRebuild } from './ledger-rebuild.js';

/** One link, or those after one id and up to another; `whole`: everything. */
export interface RebuildScope {
  linkId?: string | undefined;
  after: string;
  upTo: string | null;
  whole: boolean;
}

export const FIRST_ID = '0';
export const EVERYTHING: RebuildScope = { after: FIRST_ID, upTo: null, whole: true };

/** The links of the scope of which anything is kept, in the order of their ids. */
export async function* chunksOf(
  lib: Pick<LedgerRebuild, 'nextLinks'>,
  scope: RebuildScope,
  chunkLinks: number,
): AsyncGenerator<string[]> {
  if (scope.linkId !== undefined) {
    yield [scope.linkId];
    return;
  }
  for (let after = scope.after; ;) {
    const links = await lib.nextLinks(after, scope.upTo, chunkLinks);
    const last = links.at(-1);
    if (last === undefined) return;
    yield links;
    after = last;
  }
}

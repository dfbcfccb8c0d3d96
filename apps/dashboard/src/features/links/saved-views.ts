import { parseKept, writeKept } from '../../app/kept-list.js';
import { formatSearch, parseSearch } from '../../app/search.js';

export interface SavedView {
  name: string;
  /** The query of the address, without the page: rows of a page are others each day, and it may be there no more. */
  query: string;
}

const KEY = 'hopcount.links.views';
export const MAX_VIEWS = 50;

/** Of this browser. */
export function readViews(storage: Pick<Storage, 'getItem'>): SavedView[] {
  return parseKept(storage.getItem(KEY), MAX_VIEWS, ({ name, query }) => {
    if (typeof name !== 'string' || typeof query !== 'string') return undefined;
    // Views of before kept the page.
    return { name, query: withoutPage(query) };
  });
}

export function withoutPage(query: string): string {
  return formatSearch({ ...parseSearch(query), page: undefined });
}

/** One of the same name is replaced; the newest stay. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-MAX_VIEWS);
}

/** @returns false where the browser keeps nothing */
export function writeViews(storage: Pick<Storage, 'setItem'>, views: readonly SavedView[]): boolean {
  return writeKept(storage, KEY, views);
}

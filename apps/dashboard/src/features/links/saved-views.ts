import { formatSearch, parseSearch } from '../../app/search.js';

export interface SavedView {
  name: string;
  /** The query of the address, without the page: rows of a page are others each day, and it may be there no more. */
  query: string;
}

const KEY = 'hopcount.links.views';
export const MAX_VIEWS = 50;

/** Of this browser; whatever else stands there is left out. */
export function readViews(storage: Pick<Storage, 'getItem'>): SavedView[] {
  try {
    const found: unknown = JSON.parse(storage.getItem(KEY) ?? '[]');
    const views = Array.isArray(found) ? found.filter(isView).slice(0, MAX_VIEWS) : [];
    // Views of before kept it.
    return views.map(({ name, query }) => ({ name, query: withoutPage(query) }));
  } catch {
    return [];
  }
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
  try {
    storage.setItem(KEY, JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, query } = value as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && typeof query === 'string';
}

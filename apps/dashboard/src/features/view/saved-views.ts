import { parseKept, writeKept } from '../../app/kept-list.js';
import { parseView, type ViewSearch } from './view.js';

/** In this browser, of one user: what is shared is shared as an address. */
export interface SavedView {
  name: string;
  view: ViewSearch;
}

const KEPT_AS = 'hopcount.views.';
export const SAVED_AT_MOST = 50;
export const NAME_AT_MOST = 60;

export function parseSaved(text: string | null): SavedView[] {
  return parseKept(text, SAVED_AT_MOST, ({ name, view }) => {
    if (typeof name !== 'string' || name === '' || typeof view !== 'object' || view === null) return undefined;
    return { name: name.slice(0, NAME_AT_MOST), view: parseView(view as Record<string, unknown>) };
  });
}

/** The newest first; one of the same name is replaced. */
export function withSaved(saved: readonly SavedView[], added: SavedView): SavedView[] {
  return [added, ...saved.filter(({ name }) => name !== added.name)].slice(0, SAVED_AT_MOST);
}

export function readSaved(user: string): SavedView[] {
  return parseSaved(localStorage.getItem(KEPT_AS + user));
}

export function keepSaved(user: string, saved: readonly SavedView[]): void {
  writeKept(localStorage, KEPT_AS + user, saved);
}

import { parseView, type ViewSearch } from './view.js';

/** In this browser, of one user: what is shared is shared as an address. */
export interface SavedView {
  name: string;
  view: ViewSearch;
}

const KEPT_AS = 'hopcount.views.';
export const SAVED_AT_MOST = 50;
export const NAME_AT_MOST = 60;

/** What is kept may be of another version, or of another program: what is not understood is left out. */
export function parseSaved(text: string | null): SavedView[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept
      .filter((one: unknown): one is { name: string; view: Record<string, unknown> } => {
        const { name, view } = (one ?? {}) as Record<string, unknown>;
        return typeof name === 'string' && name !== '' && typeof view === 'object' && view !== null;
      })
      .slice(0, SAVED_AT_MOST)
      .map(({ name, view }) => ({ name: name.slice(0, NAME_AT_MOST), view: parseView(view) }));
  } catch {
    return [];
  }
}

/** The newest first; one of the same name is replaced. */
export function withSaved(saved: readonly SavedView[], added: SavedView): SavedView[] {
  return [added, ...saved.filter(({ name }) => name !== added.name)].slice(0, SAVED_AT_MOST);
}

export function readSaved(user: string): SavedView[] {
  return parseSaved(localStorage.getItem(KEPT_AS + user));
}

export function keepSaved(user: string, saved: readonly SavedView[]): void {
  localStorage.setItem(KEPT_AS + user, JSON.stringify(saved));
}

import { useNavigate, useSearch } from '@tanstack/react-router';

import { BROWSER_ZONE } from './default-zone.js';
import { changeView, parseView, type Question, toggleFilter, toQuestion, type ViewSearch } from './view.js';

export { BROWSER_ZONE } from './default-zone.js';

export interface ViewControls {
  view: ViewSearch;
  question: Question;
  zone: string;
  change: (change: Partial<ViewSearch>) => void;
  toggle: (filter: string) => void;
}

/** What the address says is looked at; a change of it is a step that "back" takes back. */
export function useView(): ViewControls {
  const view = parseView(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (changed: Partial<ViewSearch>) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => changeView(before, changed),
      // The token of a share link stands there.
      hash: true,
      hashScrollIntoView: false,
    });
  return {
    view,
    question: toQuestion(view, BROWSER_ZONE),
    zone: view.zone ?? BROWSER_ZONE,
    change,
    toggle: (filter) => {
      const filters = toggleFilter(view.filter ?? [], filter);
      change({ filter: filters.length === 0 ? undefined : filters });
    },
  };
}

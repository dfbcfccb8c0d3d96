import { useEffect } from 'react';

import { changeOf } from './shortcuts.js';
import type { ViewControls } from './use-view.js';

const KEPT_AS = 'hopcount.shortcuts';
const OFF = 'off';

export function hasShortcuts(): boolean {
  return localStorage.getItem(KEPT_AS) !== OFF;
}

/** Who speaks to a computer, or types by accident, needs them gone (WCAG 2.1.4). */
export function keepShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, OFF);
}

/** Keys that change the range, where nothing else takes what is typed. */
export function useShortcuts({ view, change }: Pick<ViewControls, 'view' | 'change'>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (ctrlKey || metaKey || altKey || event.defaultPrevented || !hasShortcuts()) return;
      if (target instanceof Element && target.closest('input, textarea, select, [role=dialog], [role=menu]')) return;
      const changed = changeOf(key.toLowerCase(), view);
      if (changed !== undefined) change(changed);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

import { loadRestOfTexts } from '../i18n/i18n.js';

let loading: Promise<unknown> | undefined;

/**
 * What the first page is shown without: texts of the other pages, styles of what is opened by a click. It is loaded while nothing
 * else is to do, and awaited by whatever needs it (`loadLater`). What could not be loaded is tried again by the next one.
 */
export function loadRest(): Promise<unknown> {
  loading ??= Promise.all([loadRestOfTexts(), import('./styles-rest.js')]).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

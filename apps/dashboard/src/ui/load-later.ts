import type { ComponentType } from 'react';

import { loadRest } from './load-rest.js';

const RELOADED_FOR = 'hopcount.reloaded-for';

export interface Later<Props> {
  /** Tries again where it failed before. */
  load: () => Promise<ComponentType<Props>>;
  /** Undefined: it is not loaded yet. */
  loaded: () => ComponentType<Props> | undefined;
}

/**
 * A component in a file of its own, of which a failure is no end: `React.lazy` keeps it for ever, and the router loads the page
 * anew at once, which shows nothing at all to who is offline.
 * @param isFirst it needs nothing of `loadRest`
 */
export function loadLater<Name extends string, Props>(
  file: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  { isFirst = false } = {},
): Later<Props> {
  let component: ComponentType<Props> | undefined;
  const loadFile = () => file().catch(reloadAfterUpdate);
  return {
    loaded: () => component,
    load: async () => {
      const [found] = await Promise.all([loadFile(), isFirst ? undefined : loadRest()]);
      component = found[name];
      return component;
    },
  };
}

/** Files of before an update are gone: the whole page is loaded anew, once for each. Who reaches no server keeps what is shown. */
async function reloadAfterUpdate(error: unknown): Promise<never> {
  const headers = { accept: 'text/html' };
  // Without an answer the first error is thrown.
  const answer = await fetch(document.baseURI, { headers, cache: 'no-store' }).catch(() => undefined);
  const reason = String(error);
  if (answer?.ok === true && sessionStorage.getItem(RELOADED_FOR) !== reason) {
    sessionStorage.setItem(RELOADED_FOR, reason);
    window.location.reload();
    await new Promise(() => undefined);
  }
  throw error;
}

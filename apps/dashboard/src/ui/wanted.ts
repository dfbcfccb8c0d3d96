import { type RefObject, useEffect, useState } from 'react';

const NEAR = '200px';
const ACTS = ['pointermove', 'keydown', 'scroll', 'focusin', 'beforeprint'] as const;
/** For who only listens, or looks at a picture of the page. */
const AT_THE_LATEST_MS = 10_000;

/**
 * Whether what belongs in an element is worth its time: it is in sight, or nearly so. All of it once somebody does anything, as they
 * may search or print the page.
 */
export function useWanted(element: RefObject<HTMLElement | null>): boolean {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (isWanted || element.current === null) return;
    const want = () => setWanted(true);
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && want(), {
      rootMargin: NEAR,
    });
    seen.observe(element.current);
    const acts = new AbortController();
    for (const name of ACTS) window.addEventListener(name, want, { signal: acts.signal, passive: true });
    const late = setTimeout(want, AT_THE_LATEST_MS);
    return () => {
      seen.disconnect();
      acts.abort();
      clearTimeout(late);
    };
  }, [element, isWanted]);
  return isWanted;
}

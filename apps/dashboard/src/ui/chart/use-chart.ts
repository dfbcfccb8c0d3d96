import { useComputedColorScheme } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

const NEAR = '200px';
const ACTS = ['pointermove', 'keydown', 'scroll', 'beforeprint'] as const;

export interface Look {
  isDark: boolean;
  isStill: boolean;
  language: string;
}

export interface OpenChart<Data> {
  draw(data: Data, look: Look): void;
  close(): void;
}

/** What draws it could not be loaded. */
interface Failure {
  error: unknown;
  onRetry: () => void;
}

/**
 * A chart in an element; what draws it is loaded when the first one is in sight.
 * @param load the same one always
 */
export function useChart<Data>(
  load: () => Promise<(element: HTMLElement) => OpenChart<Data>>,
  data: Data,
): { element: RefObject<HTMLDivElement | null>; isLoading: boolean; failure: Failure | undefined } {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<OpenChart<Data>>(undefined);
  const isWanted = useWanted(element);
  const [isLoaded, setLoaded] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isDark = useComputedColorScheme('light') === 'dark';
  const isStill = useReducedMotion();
  const { language } = useTranslation().i18n;
  useEffect(() => {
    let isGone = false;
    const show = (open: Awaited<ReturnType<typeof load>>) => {
      if (isGone || element.current === null) return;
      chart.current = open(element.current);
      setLoaded(true);
    };
    const fail = (error: unknown) => setFailure({ error, onRetry: () => setFailure(undefined) });
    if (isWanted && failure === undefined) void load().then(show).catch(fail);
    return () => {
      isGone = true;
      chart.current?.close();
      chart.current = undefined;
    };
  }, [load, failure, isWanted]);
  useEffect(() => {
    chart.current?.draw(data, { isDark, isStill, language });
  }, [isLoaded, data, isDark, isStill, language]);
  return { element, isLoading: isWanted && !isLoaded, failure };
}

/** In sight, or nearly so; all of them once somebody does anything, as they may print the page. */
function useWanted(element: RefObject<HTMLDivElement | null>): boolean {
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
    return () => {
      seen.disconnect();
      acts.abort();
    };
  }, [element, isWanted]);
  return isWanted;
}

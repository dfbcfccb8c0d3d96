import { useComputedColorScheme } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

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
 * A chart in an element; what draws it is loaded when the first one is shown.
 * @param load the same one always
 */
export function useChart<Data>(
  load: () => Promise<(element: HTMLElement) => OpenChart<Data>>,
  data: Data,
): { element: RefObject<HTMLDivElement | null>; isLoaded: boolean; failure: Failure | undefined } {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<OpenChart<Data>>(undefined);
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
    if (failure === undefined) void load().then(show).catch(fail);
    return () => {
      isGone = true;
      chart.current?.close();
      chart.current = undefined;
    };
  }, [load, failure]);
  useEffect(() => {
    chart.current?.draw(data, { isDark, isStill, language });
  }, [isLoaded, data, isDark, isStill, language]);
  return { element, isLoaded, failure };
}

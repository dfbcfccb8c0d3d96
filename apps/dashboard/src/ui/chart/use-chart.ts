import { useComputedColorScheme } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { whenIdle } from '../idle.js';
import { holdTurns } from '../turns.js';
import { useWanted } from '../wanted.js';

/** Between the steps of a chart others are answered. */
export const STEP_MS = 100;

export interface Look {
  isDark: boolean;
  isStill: boolean;
  language: string;
}

export interface OpenChart<Data> {
  /** @returns when that is over, which for the first one may take several steps */
  draw(data: Data, look: Look): Promise<void>;
  close(): void;
}

/** Half of what draws a chart: read and run by itself, it keeps the page for half as long. */
export async function loadEngine(): Promise<void> {
  await import('./engine.js');
  await whenIdle(STEP_MS);
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
  const release = useRef<() => void>(undefined);
  const isWanted = useWanted(element);
  const [isLoaded, setLoaded] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isDark = useComputedColorScheme('light') === 'dark';
  const isStill = useReducedMotion();
  const { language } = useTranslation().i18n;
  useEffect(() => {
    let isGone = false;
    const show = async () => {
      const open = await load();
      await whenIdle(STEP_MS);
      if (isGone || element.current === null) return;
      chart.current = open(element.current);
      await whenIdle(STEP_MS);
      if (!isGone) setLoaded(true);
    };
    const fail = (error: unknown) => setFailure({ error, onRetry: () => setFailure(undefined) });
    if (isWanted && failure === undefined) {
      release.current = holdTurns();
      void show().catch(fail);
    }
    return () => {
      isGone = true;
      release.current?.();
      chart.current?.close();
      chart.current = undefined;
    };
  }, [load, failure, isWanted]);
  useEffect(() => {
    void chart.current?.draw(data, { isDark, isStill, language }).then(() => release.current?.());
  }, [isLoaded, data, isDark, isStill, language]);
  return { element, isLoading: isWanted && !isLoaded, failure };
}

import { useComputedColorScheme } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { LineChart, Lines } from './line-chart.js';

interface Props extends Lines {
  /** For who cannot see it; the numbers are in a table beside it. */
  label: string;
}

/** Kept free while it is loaded, so that nothing moves. */
const HEIGHT_PX = 288;

/** A line chart; what draws it is loaded when the first one is shown. */
export function Chart({ label, x, lines }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart>(undefined);
  const [isLoaded, setLoaded] = useState(false);
  const isDark = useComputedColorScheme('light') === 'dark';
  const isStill = useReducedMotion();
  const { language } = useTranslation().i18n;
  useEffect(() => {
    let isGone = false;
    void import('./line-chart.js').then(({ openLineChart }) => {
      if (isGone || element.current === null) return;
      chart.current = openLineChart(element.current);
      setLoaded(true);
    });
    return () => {
      isGone = true;
      chart.current?.close();
      chart.current = undefined;
    };
  }, []);
  useEffect(() => {
    chart.current?.draw({ x, lines }, { isDark, isStill, language });
  }, [isLoaded, x, lines, isDark, isStill, language]);
  return <div ref={element} role="img" aria-label={label} aria-busy={!isLoaded} style={{ height: HEIGHT_PX }} />;
}

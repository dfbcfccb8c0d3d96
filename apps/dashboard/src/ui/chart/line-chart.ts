import { LineChart as Line } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';

import { COLORS } from './colors.js';
import { CanvasRenderer } from './engine.js';
import type { Look, OpenChart } from './use-chart.js';

use([Line, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

interface Line {
  name: string;
  values: (number | null)[];
  /** `one-of-many`: LineKey says beside the chart which is which. */
  style: 'main' | 'open' | 'compared' | 'one-of-many';
}

export interface Lines {
  x: string[];
  lines: Line[];
}

export function openLineChart(element: HTMLElement): OpenChart<Lines> {
  const chart = init(element);
  const resized = new ResizeObserver(() => chart.resize());
  resized.observe(element);
  // The first one is drawn with the next picture, apart from what comes before; others at once, as on the way to a printer.
  let isFirst = true;
  return {
    draw: (lines, look) => {
      const option = optionOf(lines, isFirst ? { ...look, isStill: true } : look);
      chart.setOption(option, { notMerge: true, lazyUpdate: isFirst });
      isFirst = false;
    },
    close: () => {
      resized.disconnect();
      chart.dispose();
    },
  };
}

function optionOf({ x, lines }: Lines, { isDark, isStill, language }: Look) {
  const color = COLORS[isDark ? 'dark' : 'light'];
  const count = new Intl.NumberFormat(language);
  const hasLegend = lines.length > 1 && lines.every(({ style }) => style !== 'one-of-many');
  const axis = { axisLine: { lineStyle: { color: color.line } }, axisTick: { show: false } };
  return {
    animation: !isStill,
    animationDuration: 200,
    grid: { left: 8, right: 12, top: 16, bottom: hasLegend ? 32 : 8, containLabel: true },
    legend: { show: hasLegend, bottom: 0, textStyle: { color: color.text }, icon: 'roundRect', itemHeight: 3 },
    tooltip: {
      trigger: 'axis',
      // Drawn, not HTML: its styles would need what the page's policy forbids.
      renderMode: 'richText',
      backgroundColor: color.box,
      borderColor: color.line,
      textStyle: { color: color.text },
      valueFormatter: (value: unknown) => (typeof value === 'number' ? count.format(value) : '–'),
    },
    xAxis: {
      type: 'category',
      data: x,
      boundaryGap: false,
      axisLabel: { color: color.text, hideOverlap: true },
      ...axis,
    },
    yAxis: {
      type: 'value',
      minInterval: 1,
      axisLabel: { color: color.text, formatter: (value: number) => count.format(value) },
      splitLine: { lineStyle: { color: color.line } },
    },
    series: lines.map(({ name, values, style }, nth) => ({
      type: 'line',
      name,
      data: values,
      // A value between two that are not known would not be seen otherwise.
      showSymbol: style === 'open' || values.filter((value) => value !== null).length < 3,
      symbolSize: 6,
      ...styleOf(style, color, nth),
    })),
  } as const;
}

function styleOf(style: Line['style'], color: (typeof COLORS)['light'], nth: number) {
  switch (style) {
    case 'main':
      return {
        itemStyle: { color: color.main },
        lineStyle: { width: 2.5, type: 'solid' },
        areaStyle: { opacity: 0.12 },
      } as const;
    case 'open':
      return { itemStyle: { color: color.main }, lineStyle: { width: 2.5, type: 'dashed' } } as const;
    case 'compared':
      return { itemStyle: { color: color.compared }, lineStyle: { width: 1.5, type: 'dashed' } } as const;
    case 'one-of-many':
      return {
        itemStyle: { color: color.many[nth % color.many.length] ?? color.main },
        lineStyle: { width: 2, type: nth < color.many.length ? 'solid' : 'dashed' },
      } as const;
  }
}

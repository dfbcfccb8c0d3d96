import { LineChart as Line } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

import { COLORS } from './colors.js';
import type { Look, OpenChart } from './use-chart.js';

use([Line, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

export interface Lines {
  x: string[];
  lines: { name: string; values: (number | null)[]; style: 'main' | 'open' | 'compared' }[];
}

export function openLineChart(element: HTMLElement): OpenChart<Lines> {
  const chart = init(element);
  const resized = new ResizeObserver(() => chart.resize());
  resized.observe(element);
  return {
    draw: (lines, look) => chart.setOption(optionOf(lines, look), { notMerge: true }),
    close: () => {
      resized.disconnect();
      chart.dispose();
    },
  };
}

function optionOf({ x, lines }: Lines, { isDark, isStill, language }: Look) {
  const color = COLORS[isDark ? 'dark' : 'light'];
  const count = new Intl.NumberFormat(language);
  const axis = { axisLine: { lineStyle: { color: color.line } }, axisTick: { show: false } };
  return {
    animation: !isStill,
    animationDuration: 200,
    grid: { left: 8, right: 12, top: 16, bottom: lines.length > 1 ? 32 : 8, containLabel: true },
    legend: { show: lines.length > 1, bottom: 0, textStyle: { color: color.text }, icon: 'roundRect', itemHeight: 3 },
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
    series: lines.map(({ name, values, style }) => ({
      type: 'line',
      name,
      data: values,
      // A value between two that are not known would not be seen otherwise.
      showSymbol: style === 'open' || values.filter((value) => value !== null).length < 3,
      symbolSize: 6,
      itemStyle: { color: style === 'compared' ? color.compared : color.main },
      lineStyle: { width: style === 'compared' ? 1.5 : 2.5, type: style === 'main' ? 'solid' : 'dashed' },
      ...(style === 'main' && { areaStyle: { opacity: 0.12 } }),
    })),
  } as const;
}

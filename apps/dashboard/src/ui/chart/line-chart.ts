import { LineChart as Line } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([Line, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

export interface Lines {
  x: string[];
  lines: { name: string; values: (number | null)[]; style: 'main' | 'open' | 'compared' }[];
}

interface Look {
  isDark: boolean;
  isStill: boolean;
  language: string;
}

export interface LineChart {
  draw(lines: Lines, look: Look): void;
  close(): void;
}

const COLORS = {
  light: { main: '#0b7285', compared: '#868e96', text: '#495057', line: '#dee2e6', box: '#ffffff' },
  dark: { main: '#3bc9db', compared: '#909296', text: '#c1c2c5', line: '#373a40', box: '#25262b' },
};

export function openLineChart(element: HTMLElement): LineChart {
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

import { LineChart as Line } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';

import { whenIdle } from '../idle.js';
import { COLORS, type LineStyle } from './colors.js';
import { CanvasRenderer } from './engine.js';
import { type Room, roomFor } from './room.js';
import { type Look, type OpenChart, STEP_MS } from './use-chart.js';

use([Line, GridComponent, TooltipComponent, CanvasRenderer]);

interface Line {
  name: string;
  values: (number | null)[];
  style: LineStyle;
}

export interface Lines {
  x: string[];
  lines: Line[];
}

export function openLineChart(element: HTMLElement): OpenChart<Lines> {
  const font = getComputedStyle(element).fontFamily;
  const widthOf = textWidths(`12px ${font}`);
  const chart = init(element);
  let last: [Lines, Look] | undefined;
  let isWhole = false;
  const draw = (lines: Lines, look: Look, part?: (option: Option) => EChartsCoreOption) => {
    const count = new Intl.NumberFormat(look.language);
    const most = Math.max(0, ...lines.lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
    const room = roomFor(lines.x, count.format.bind(count), most, { widthOf, width: element.clientWidth });
    const option = optionOf(lines, look, { font, room, count });
    isWhole ||= part === undefined;
    chart.setOption(part?.(option) ?? option, { notMerge: true, lazyUpdate: part !== undefined });
  };
  let isClosed = false;
  /** In steps, between which others are answered. Later ones at once. */
  const drawFirst = async () => {
    for (const part of [onlyAxis, withoutLines, undefined]) {
      // Something else may have drawn it whole meanwhile.
      if (isClosed || isWhole || last === undefined) return;
      draw(last[0], { ...last[1], isStill: true }, part);
      await whenIdle(STEP_MS);
    }
  };
  const resized = new ResizeObserver(() => {
    if (element.clientWidth === chart.getWidth() && element.clientHeight === chart.getHeight()) return;
    chart.resize();
    if (last !== undefined) draw(...last);
  });
  resized.observe(element);
  return {
    draw: (lines, look) => {
      const isFirst = last === undefined;
      last = [lines, look];
      if (isFirst) return drawFirst();
      draw(lines, look);
      return Promise.resolve();
    },
    close: () => {
      isClosed = true;
      resized.disconnect();
      chart.dispose();
    },
  };
}

/** In pixels. */
function textWidths(font: string): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return (text) => text.length * 8;
  context.font = font;
  return (text) => context.measureText(text).width;
}

interface Drawing {
  font: string;
  room: Room;
  count: Intl.NumberFormat;
}

function optionOf({ x, lines }: Lines, { isDark, isStill }: Look, { font, room, count }: Drawing) {
  const color = COLORS[isDark ? 'dark' : 'light'];
  const axis = { axisLine: { lineStyle: { color: color.line } }, axisTick: { show: false } };
  const { left, right, everyNth } = room;
  return {
    animation: !isStill,
    animationDuration: 200,
    // That of the page, which is there already.
    textStyle: { fontFamily: font },
    // Left to itself it lays out all labels several times to find the room for them, on a slow processor for 100 ms.
    grid: { left, right, top: 16, bottom: 28, outerBoundsMode: 'none' },
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
      axisLabel: { color: color.text, interval: everyNth - 1 },
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

type Option = ReturnType<typeof optionOf>;

/** The canvas is made with it. */
function onlyAxis(option: Option): EChartsCoreOption {
  return withoutLines({ ...option, xAxis: { ...option.xAxis, axisLabel: { show: false } } });
}

/** Room for them is there. */
function withoutLines(option: EChartsCoreOption): EChartsCoreOption {
  return { ...option, yAxis: { type: 'value', show: false }, series: [] };
}

function styleOf(style: LineStyle, color: (typeof COLORS)['light'], nth: number) {
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

import { MapChart } from 'echarts/charts';
import { TooltipComponent } from 'echarts/components';
import { init, registerMap, use } from 'echarts/core';
import { feature } from 'topojson-client';
import world from 'world-atlas/countries-110m.json' with { type: 'json' };

import { countryName } from '../format.js';
import { COLORS } from './colors.js';
import { CanvasRenderer } from './engine.js';
import { unwrapRing } from './unwrap-ring.js';
import { codeOfNumber } from './country-codes.js';
import type { Look, OpenChart } from './use-chart.js';

use([MapChart, TooltipComponent, CanvasRenderer]);

export interface World {
  /** By ISO 3166-1 code of two letters. */
  countries: { code: string; visits: number }[];
  /** Absent: a click does nothing. */
  onChoose?: ((code: string) => void) | undefined;
}

type World110 = Parameters<typeof feature>[0];
type Geometry = ReturnType<typeof countriesOf>[number]['geometry'];

const MAP = 'world';
/** Nobody visits from there, and it takes a fifth of the height. */
const LEFT_OUT = 'AQ';

function countriesOf(topology: World110) {
  const found = feature(topology, topology.objects['countries']!);
  return found.type === 'FeatureCollection' ? found.features : [found];
}

function registerWorld(): void {
  const countries = countriesOf(world as unknown as World110);
  const features = countries.flatMap((one) => {
    const code = codeOfNumber(one.id);
    // Some areas have no code of their own: they are drawn, and hold nothing.
    return code === LEFT_OUT ? [] : [{ ...one, geometry: unwrapped(one.geometry), properties: { name: code ?? '' } }];
  });
  registerMap(MAP, { type: 'FeatureCollection', features } as Parameters<typeof registerMap>[1]);
}

function unwrapped(geometry: Geometry): Geometry {
  if (geometry.type === 'Polygon') return { ...geometry, coordinates: geometry.coordinates.map(unwrapRing) };
  if (geometry.type !== 'MultiPolygon') return geometry;
  return { ...geometry, coordinates: geometry.coordinates.map((rings) => rings.map(unwrapRing)) };
}

export function openWorldMap(element: HTMLElement): OpenChart<World> {
  registerWorld();
  const chart = init(element);
  const resized = new ResizeObserver(() => chart.resize());
  resized.observe(element);
  let isFirst = true;
  let onChoose: World['onChoose'];
  chart.on('click', ({ name, value }) => {
    if (name !== '' && typeof value === 'number' && value > 0) onChoose?.(name);
  });
  return {
    draw: (data, look) => {
      ({ onChoose } = data);
      chart.setOption(optionOf(data, look), { notMerge: true, lazyUpdate: isFirst });
      isFirst = false;
      return Promise.resolve();
    },
    close: () => {
      resized.disconnect();
      chart.dispose();
    },
  };
}

function optionOf({ countries, onChoose }: World, { isDark, isStill, language }: Look) {
  const color = COLORS[isDark ? 'dark' : 'light'];
  const count = new Intl.NumberFormat(language);
  const most = Math.max(1, ...countries.map(({ visits }) => visits));
  const empty = isDark ? '#2c2e33' : '#e9ecef';
  return {
    animation: !isStill,
    tooltip: {
      trigger: 'item',
      // Drawn, not HTML: its styles would need what the page's policy forbids.
      renderMode: 'richText',
      backgroundColor: color.box,
      borderColor: color.line,
      textStyle: { color: color.text },
      formatter: ({ name, value }: { name: string; value: unknown }) =>
        typeof value === 'number' && !Number.isNaN(value)
          ? `${countryName(name, language) ?? name}: ${count.format(value)}`
          : '',
    },
    series: [
      {
        type: 'map',
        map: MAP,
        top: 4,
        bottom: 4,
        left: 4,
        right: 4,
        selectedMode: false,
        cursor: onChoose === undefined ? 'default' : 'pointer',
        itemStyle: { areaColor: empty, borderColor: color.box, borderWidth: 0.5 },
        label: { show: false },
        emphasis: { label: { show: false }, itemStyle: { areaColor: color.compared } },
        data: countries.map(({ code, visits }) => ({
          name: code,
          value: visits,
          // The root shows differences among few visits as well.
          itemStyle: { areaColor: mix(empty, color.main, 0.2 + 0.8 * Math.sqrt(visits / most)) },
        })),
      },
    ],
  } as const;
}

/** Two `#rrggbb`. */
function mix(from: string, to: string, part: number): string {
  const channel = (text: string, at: number) => parseInt(text.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) => Math.round(channel(from, at) + (channel(to, at) - channel(from, at)) * part));
  return `#${mixed.map((one) => one.toString(16).padStart(2, '0')).join('')}`;
}

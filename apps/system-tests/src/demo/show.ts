import { DIMENSIONS, type Dimension, type LinkStatistics, type ShortUrl } from '@hopcount/contracts';

const BAR_WIDTH = 24;
const SHOWN_VALUES = 6;
const LABEL_WIDTH = 26;
const countries = new Intl.DisplayNames('en', { type: 'region' });
const languages = new Intl.DisplayNames('en', { type: 'language' });

/** `visits` of `most` as a bar of at most 24 cells, in eighths of a cell. */
export function bar(visits: number, most: number): string {
  const eighths = most === 0 ? 0 : Math.max(1, Math.round((visits / most) * BAR_WIDTH * 8));
  const rest = eighths % 8;
  return '█'.repeat(Math.floor(eighths / 8)) + (rest === 0 ? '' : String.fromCodePoint(0x2590 - rest));
}

export function showLink(link: ShortUrl, statistics: LinkStatistics): string {
  const { totals } = statistics;
  const classes = Object.entries(totals.byClass).filter(([, visits]) => visits > 0);
  const lines = [
    `${link.title ?? link.shortCode}  ${link.shortUrl}`,
    `  ${totals.visits} visits by ${totals.visitors} visitors from ${totals.ips} addresses` +
      ` (${classes.map(([name, visits]) => `${name} ${visits}`).join(', ')})`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Dimensions of several links added up, most frequent values first, each with a bar. */
export function showDimensions(statistics: LinkStatistics[]): string {
  return DIMENSIONS.map((dimension) => showDimension(dimension, addUp(dimension, statistics))).join('\n');
}

export function addUp(dimension: Dimension, statistics: LinkStatistics[]): [value: string, visits: number][] {
  const sums = new Map<string, number>();
  for (const one of statistics) {
    for (const { value, visits } of one.dimensions[dimension]) sums.set(value, (sums.get(value) ?? 0) + visits);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function showDimension(dimension: Dimension, values: [value: string, visits: number][]): string {
  const most = values[0]?.[1] ?? 0;
  const shown = values.slice(0, SHOWN_VALUES);
  const lines = shown.map(([value, visits]) => {
    const label = labelOf(dimension, value)
      .slice(0, LABEL_WIDTH - 1)
      .padEnd(LABEL_WIDTH);
    return `  ${label}${String(visits).padStart(6)}  ${bar(visits, most)}`;
  });
  const rest = values.slice(SHOWN_VALUES).reduce((sum, [, visits]) => sum + visits, 0);
  if (rest > 0) {
    const label = `${values.length - SHOWN_VALUES} more`.padEnd(LABEL_WIDTH);
    lines.push(`  ${label}${String(rest).padStart(6)}`);
  }
  return `${dimension}\n${lines.join('\n')}\n`;
}

function labelOf(dimension: Dimension, value: string): string {
  try {
    if (dimension === 'country') return countries.of(value) ?? value;
    if (dimension === 'language') return languages.of(value) ?? value;
  } catch {
    // "unknown" is no code
  }
  return value;
}

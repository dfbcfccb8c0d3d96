import { describeTarget, type Figure, formatNumber, type Section } from './report.js';

/**
 * A section as Markdown, to be copied. Figures named `<case>: <measure>` become one row a case and one
 * column a measure; all others one row each. Values are medians with (min–max).
 */
export function markdownOf(section: Section): string {
  const inCases = section.figures.filter(({ name }) => name.includes(': '));
  const others = section.figures.filter(({ name }) => !name.includes(': '));
  const parts = [`### ${section.title}`, ...section.notes, caseTable(inCases), plainTable(others)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function caseTable(figures: Figure[]): string {
  if (figures.length === 0) return '';
  const split = figures.map((figure) => {
    const [name = '', ...rest] = figure.name.split(': ');
    return { name, measure: withUnit(rest.join(': '), figure), figure };
  });
  const measures = [...new Set(split.map(({ measure }) => measure))];
  const rows = [...new Set(split.map(({ name }) => name))].map((name) => {
    const cells = measures.map((measure) => split.find((one) => one.name === name && one.measure === measure)?.figure);
    return [name, ...cells.map((figure) => (figure === undefined ? '' : valueOf(figure)))];
  });
  return table(['', ...measures], rows);
}

function plainTable(figures: Figure[]): string {
  if (figures.length === 0) return '';
  const rows = figures.map((figure) => [withUnit(figure.name, figure), valueOf(figure), describeTarget(figure)]);
  return table(['', 'median (min–max)', 'target'], rows);
}

function withUnit(name: string, { unit }: Figure): string {
  return unit === '' ? name : `${name}, ${unit}`;
}

function valueOf({ value }: Figure): string {
  const median = formatNumber(value.median);
  return value.min === value.max ? median : `${median} (${formatNumber(value.min)}–${formatNumber(value.max)})`;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

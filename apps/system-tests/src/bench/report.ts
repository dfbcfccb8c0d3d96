import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import type { Spread } from './numbers.js';

/** One measured thing; `target` is what the issue asks for, with whether the median reaches it. */
export interface Figure {
  name: string;
  unit: string;
  value: Spread;
  target?: { atLeast: number } | { atMost: number };
}

export interface Section {
  title: string;
  /** How it was measured: what somebody needs to judge the figures. */
  notes: string[];
  figures: Figure[];
}

export function renderSection(section: Section): string {
  const rows = section.figures.map((figure) => [
    figure.name,
    `${formatNumber(figure.value.min)} / ${formatNumber(figure.value.median)} / ${formatNumber(figure.value.max)}`,
    figure.unit,
    describeTarget(figure),
  ]);
  const head = ['', 'min / median / max', '', 'target'];
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: string[]) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return [section.title, line(head), ...rows.map(line), ...section.notes.map((note) => `  ${note}`), ''].join('\n');
}

/** Median against the target; true when there is none. */
export function meetsTarget({ value, target }: Figure): boolean {
  if (target === undefined) return true;
  return 'atLeast' in target ? value.median >= target.atLeast : value.median <= target.atMost;
}

export function writeReport(folder: string, sections: Section[], settings: object): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  const figures = sections.map((section) => ({
    ...section,
    figures: section.figures.map((figure) => ({ ...figure, met: meetsTarget(figure) })),
  }));
  writeFileSync(path, `${JSON.stringify({ measuredAt: new Date(), machine, settings, sections: figures }, null, 2)}\n`);
  return path;
}

export function describeTarget(figure: Figure): string {
  const { target } = figure;
  if (target === undefined) return '';
  const wanted = 'atLeast' in target ? `>= ${formatNumber(target.atLeast)}` : `<= ${formatNumber(target.atMost)}`;
  return `${wanted} ${meetsTarget(figure) ? 'reached' : 'MISSED'}`;
}

export function formatNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1_000) return String(value);
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

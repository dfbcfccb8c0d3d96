import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import type { Proof } from './fault.js';
import type { FedFacts } from './fed-counts.js';

export interface FaultReport {
  name: string;
  rows: readonly string[];
  /** Of what the fault drew. */
  seed: number;
  startedMs: number;
  /** From the first act to the heal. */
  lastedMs: number;
  /** From the heal until every visit acknowledged by then was counted. */
  recoveryMs: number;
  acknowledgedMeanwhile: number;
  proof: Proof;
}

export interface ChaosReport {
  seed: number;
  startedMs: number;
  loadMs: number;
  /** The quiet period and the checks. */
  checkMs: number;
  /** Visits answered whole; requests whose answer never came whole; other answers by status. */
  acknowledged: number;
  inDoubt: number;
  refused: Record<string, number>;
  counted: number;
  /** Batches of counts of hosts. */
  fed: FedFacts;
  /** Links, edited, keys and purges that the api said yes to: none was lost. */
  changed: number;
  /** Sums of counters over the lives of processes, each without what it counted just before a kill. */
  atLeast: Record<string, number>;
  highest: Record<string, number>;
  faults: FaultReport[];
  /** Empty: nothing lost, nothing doubled, everything recomputed and equal, every fault happened. */
  violations: string[];
}

/** @returns the paths written */
export function writeChaosReport(folder: string, report: ChaosReport): string[] {
  mkdirSync(folder, { recursive: true });
  const at = new Date(report.startedMs).toISOString().replaceAll(':', '-').slice(0, 19);
  const path = join(folder, `chaos-seed-${report.seed}-${at}`);
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
  writeFileSync(`${path}.json`, `${JSON.stringify({ ...report, machine }, null, 2)}\n`);
  writeFileSync(`${path}.md`, chaosMarkdown(report));
  return [`${path}.md`, `${path}.json`];
}

export function chaosMarkdown(report: ChaosReport): string {
  const refused = Object.entries(report.refused).map(([status, count]) => `${count} × ${status}`);
  const { fed } = report;
  const facts: [string, string | number][] = [
    ['visits acknowledged', report.acknowledged],
    ['counted', report.counted],
    ['requests in doubt', report.inDoubt],
    ['refused', refused.join(', ') || 0],
    ['links, keys and purges acknowledged', report.changed],
    ['batches of counts fed', fed.batches],
    ['of them sent again', `${fed.sentAgain} times; ${fed.inDoubt} answers were in doubt`],
    ['taken back', fed.takenBack],
    ['other counts under their keys, refused', fed.otherCounts],
    ...Object.entries(report.atLeast).map(([name, count]): [string, string] => [inWords(name), `≥ ${count}`]),
    ...Object.entries(report.highest).map(([name, value]): [string, string] => [
      `highest ${inWords(name)}`,
      round(value),
    ]),
  ];
  const verdict = report.violations.length === 0 ? 'passed: no loss, no double, `verify` clean' : 'FAILED';
  return [
    `# Chaos, seed ${report.seed}: ${verdict}`,
    '',
    `${new Date(report.startedMs).toISOString()}, ${round(report.loadMs / 60_000)} minutes of load, ` +
      `${report.faults.length} faults, checked in ${round(report.checkMs / 1_000)} s.`,
    '',
    ...report.violations.flatMap((violation) => ['```', violation, '```', '']),
    '| | |',
    '|---|---|',
    ...facts.map(([name, value]) => `| ${name} | ${value} |`),
    '',
    '| fault | rows | times | shown by | lasted, s | recovered in, s (median / worst) |',
    '|---|---|---|---|---|---|',
    ...faultRows(report.faults),
    '',
  ].join('\n');
}

function faultRows(faults: readonly FaultReport[]): string[] {
  const names = [...new Set(faults.map(({ name }) => name))].sort();
  return names.map((name) => {
    const times = faults.filter((fault) => fault.name === name);
    const shown = times.reduce((sum, { proof }) => sum + proof.count, 0);
    const recovery = times.map(({ recoveryMs }) => recoveryMs / 1_000).sort((a, b) => a - b);
    const lasted = times.reduce((sum, { lastedMs }) => sum + lastedMs, 0) / times.length / 1_000;
    const cells = [
      name,
      times[0]?.rows.join(', ') ?? '',
      times.length,
      `${round(shown)} ${times[0]?.proof.what ?? ''}`,
      round(lasted),
      `${round(recovery[recovery.length >> 1] ?? 0)} / ${round(recovery.at(-1) ?? 0)}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

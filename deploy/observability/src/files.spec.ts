import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { dashboardFiles, SPECS } from './dashboards.js';

const FOLDER = join(import.meta.dirname, '..');
const RUNBOOKS = join(FOLDER, '../../docs/operations/runbooks');

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

const rulesOf = (name: string) =>
  (
    parse(readFileSync(join(FOLDER, 'prometheus/rules', name), 'utf8')) as { groups: { rules: Rule[] }[] }
  ).groups.flatMap(({ rules }) => rules);
const alerts = rulesOf('alerts.yml').map((rule) => ({ ...rule, alert: rule.alert ?? '' }));
const names = alerts.map(({ alert }) => alert).sort();

describe('alerts', () => {
  it('have a severity, a summary, a description and the address of their runbook', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect([alert, labels?.['severity']]).toEqual([alert, expect.stringMatching(/^(page|warning)$/)]);
      expect(annotations).toEqual({
        summary: expect.stringMatching(/\w/),
        // The value, or whose it is.
        description: expect.stringMatching(/\{\{ \$(value|labels)|^There is no/),
        runbook_url: `{{ $externalLabels.handbook }}/runbooks/${alert}.md`,
      });
    }
  });

  it('have a runbook each, and each runbook an alert', () => {
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
    expect(pages.map((name) => basename(name, '.md')).sort()).toEqual(names);
  });

  it('have runbooks of one form, with three commands, whose links lead somewhere', () => {
    const onDisk = new Set([
      ...readdirSync(RUNBOOKS),
      ...readdirSync(join(RUNBOOKS, '..')).map((name) => `../${name}`),
    ]);
    for (const name of names) {
      const page = readFileSync(join(RUNBOOKS, `${name}.md`), 'utf8');
      const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
      expect(headings).toEqual([name, 'Symptom', 'First three commands', 'What to do', 'It is over when']);
      const commands = /```sh\n([^`]*)```/.exec(page)?.[1]?.trim().split('\n');
      expect(commands).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^hopcount \w/)));
      for (const [, link = ''] of page.matchAll(/\]\(([^)]+)\)/g)) expect(onDisk).toContain(link);
    }
  });

  it('are each seen to fire and to stay silent by a test of promtool', () => {
    const folder = join(FOLDER, 'prometheus/tests');
    const files = readdirSync(folder).map((name) => parse(readFileSync(join(folder, name), 'utf8')) as TestFile);
    const tests = files.flatMap(({ tests }) => tests.flatMap(({ alert_rule_test }) => alert_rule_test));
    for (const fires of [true, false]) {
      const tested = tests.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires);
      expect(tested.map(({ alertname }) => alertname).sort()).toEqual(names);
    }
  });
});

interface TestFile {
  tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
}

describe('dashboards', () => {
  it('are what their TypeScript makes (npm run dashboards:write)', () => {
    const folder = join(FOLDER, 'grafana');
    const found = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    expect([...found.keys()].sort()).toEqual([...dashboardFiles().keys()].sort());
    for (const [name, text] of dashboardFiles()) expect(found.get(name)).toBe(text);
  });

  it('link to runbooks that are there, and ask for recorded series that are recorded', () => {
    const recorded = new Set(rulesOf('recording.yml').map(({ record }) => record));
    for (const { rows } of SPECS) {
      for (const panel of Object.values(rows).flat()) {
        for (const alert of panel.alerts ?? []) expect(names).toContain(alert);
        const series = Object.values(panel.queries).flatMap((query) => query.match(/hopcount:[\w:]+/g) ?? []);
        for (const one of series) expect(recorded).toContain(one);
      }
    }
  });

  it('lead to the runbook of every alert of a number that is drawn', () => {
    const linked = SPECS.flatMap(({ rows }) => Object.values(rows).flat()).flatMap(({ alerts: linked = [] }) => linked);
    // No curve of its own: there is no Prometheus data, or it is what another panel of the same row draws.
    const elsewhere = ['HopcountNothingScraped'];
    expect([...new Set([...linked, ...elsewhere])].sort()).toEqual(names);
  });
});

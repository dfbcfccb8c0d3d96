import { COUNTING } from './dashboards/counting.js';
import { OPERATIONS } from './dashboards/operations.js';
import { OVERVIEW } from './dashboards/overview.js';
import { REDIRECTS } from './dashboards/redirects.js';
import { buildDashboard, type DashboardSpec } from './panels.js';

export const SPECS: readonly DashboardSpec[] = [OVERVIEW, REDIRECTS, COUNTING, OPERATIONS];

/** File name → what Grafana imports. */
export function dashboardFiles(): Map<string, string> {
  return new Map(
    SPECS.map((spec) => [
      `${spec.uid.replace('hopcount-', '')}.json`,
      `${JSON.stringify(buildDashboard(spec), null, 2)}\n`,
    ]),
  );
}

import {
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as SeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** As Grafana names them. */
export type Unit = 's' | 'percentunit' | 'bytes' | 'short' | 'reqps' | 'ops' | 'none';

export interface PanelSpec {
  title: string;
  /** What it is, what is usual, and what it means when it is not. */
  description: string;
  unit: Unit;
  /** By legend. */
  queries: Record<string, string>;
  /** From these values on it is yellow, red: those of the alerts. */
  yellow?: number;
  red?: number;
  /** Green from this value on and red below, instead. */
  green?: number;
  /** Alerts whose runbooks are linked. */
  alerts?: readonly string[];
  /** One number instead of a curve. */
  isNumber?: boolean;
  min?: number;
  max?: number;
}

export interface DashboardSpec {
  uid: string;
  title: string;
  description: string;
  rows: Record<string, readonly PanelSpec[]>;
}

/** Of Grafana's grid, which is 24 wide. */
const NUMBER = { width: 4, height: 5 };
const CURVE = { width: 8, height: 8 };
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

export function buildDashboard({ uid, title, description, rows }: DashboardSpec) {
  const dashboard = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['hopcount'])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'))
    .withVariable(
      new TextBoxVariableBuilder('handbook').label('Address of docs/operations').defaultValue('/docs/operations'),
    )
    .link(new DashboardLinkBuilder('Hopcount').type(DashboardLinkType.Dashboards).tags(['hopcount']).keepTime(true));
  let id = 0;
  for (const [row, panels] of Object.entries(rows)) {
    dashboard.withRow(new RowBuilder(row).id((id += 1)));
    for (const panel of panels) dashboard.withPanel(toPanel(panel).id((id += 1)));
  }
  return dashboard.build();
}

function toPanel(spec: PanelSpec): StatBuilder | SeriesBuilder {
  const { title, description, unit, queries, min, max } = spec;
  const panel = spec.isNumber === true ? latest() : curve();
  const { width, height } = spec.isNumber === true ? NUMBER : CURVE;
  panel.title(title).description(description).unit(unit).datasource(DATASOURCE).span(width).height(height);
  panel.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(stepsOf(spec)));
  if (min !== undefined) panel.min(min);
  if (max !== undefined) panel.max(max);
  Object.entries(queries).forEach(([legend, expression], index) =>
    panel.withTarget(
      new DataqueryBuilder()
        .expr(expression)
        .legendFormat(legend)
        .refId(String.fromCharCode(65 + index)),
    ),
  );
  return panel.links(
    (spec.alerts ?? []).map((alert) =>
      new DashboardLinkBuilder(`Runbook ${alert}`)
        .type(DashboardLinkType.Link)
        .url(`\${handbook}/runbooks/${alert}.md`)
        .targetBlank(true),
    ),
  );
}

function latest(): StatBuilder {
  return new StatBuilder().reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

/** With its thresholds as dashed lines: how far it is from the alert. */
function curve(): SeriesBuilder {
  return new SeriesBuilder()
    .fillOpacity(10)
    .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
}

function stepsOf({ yellow, red, green }: PanelSpec) {
  if (green !== undefined) {
    return [
      { value: null, color: 'red' },
      { value: green, color: 'green' },
    ];
  }
  return [
    { value: null, color: 'green' },
    ...(yellow === undefined ? [] : [{ value: yellow, color: 'yellow' }]),
    ...(red === undefined ? [] : [{ value: red, color: 'red' }]),
  ];
}

import { readFileSync } from 'node:fs';
import * as grafana from '@grafana/schema';
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type { Options as LineOptions } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import { parse } from 'yaml';

/** Reads a file of the repository. */
export const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** The alerts, of which panels have their limits and runbooks. */
export const ALERTS = 'deploy/kubernetes/components/prometheus-operator/alerts.yaml';

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: 'critical' | 'warning' };
  annotations: { runbook: string };
}
const groups: { rules: Alert[] }[] = parse(read(ALERTS)).spec.groups;
const alerts = new Map(groups.flatMap(({ rules }) => rules).map((rule) => [rule.alert, rule]));

/** What a panel shows. */
interface Shown {
  /** What the values mean, and what to do about them. */
  is: string;
  /** Expressions by legend, to which panels add the selected namespaces. */
  queries: Record<string, string>;
  /** For what must not be low: red below the first value, orange below the second. Alerts limit what is high. */
  least?: [number, number];
}

const DATASOURCE = { type: 'prometheus', uid: `\${datasource}` };

/** Adds the selected namespaces to all metrics. Outside Kubernetes they have none, which "All" includes. */
const inNamespaces = (expression: string) =>
  expression
    .replace(/\b(lockstep|process|nodejs)_\w+/g, '$&{namespace=~"$namespace"}')
    .replaceAll('}{}', '}')
    .replaceAll('}{', ', ');

const targetsOf = (queries: Record<string, string>) =>
  Object.entries(queries).map(([legendFormat, expr], index) => {
    return { refId: 'ABCDEFGH'[index], datasource: DATASOURCE, expr: inNamespaces(expr), legendFormat };
  });

const LINK = { icon: 'doc', tooltip: '', asDropdown: false };

/** Grafana colors from a value on, but alerts fire above it. What has the limit 0 is counted, so it begins at 1. */
function stepsOf(alert: Alert | undefined, least: Shown['least']): grafana.Threshold[] {
  const limit = /> ([\d.]+)/.exec(alert?.expr ?? '')?.[1];
  const color = alert?.labels.severity === 'critical' ? 'red' : 'orange';
  const above = { green: null, ...(limit && { [color]: Number(limit) || 1 }) };
  const steps = least ? { red: null, orange: least[0], green: least[1] } : above;
  return Object.entries(steps).map(([color, value]) => ({ color, value }));
}

/**
 * Returns two panels: of the last values, and of all over time. `help`: the alert whose limit and runbook they have, or
 * a runbook.
 */
export function both(title: string, unit: string, help: string, { is, queries, least }: Shown) {
  const alert = alerts.get(help);
  const runbook = (alert?.annotations.runbook ?? `docs/runbooks/${help}.md`).replace('docs/runbooks', `\${runbooks}`);
  const leads = { type: 'link' as const, title: 'Runbook', url: runbook, targetBlank: true };
  const links = [{ ...LINK, ...leads, tags: [], includeVars: false, keepTime: false }];
  const panel = { title, description: is, datasource: DATASOURCE, links, targets: targetsOf(queries) };
  const steps = stepsOf(alert, least);
  const defaults = { unit, thresholds: { mode: grafana.ThresholdsMode.Absolute, steps } };
  const isLimited = steps.length > 1;
  const statOptions = {
    colorMode: isLimited ? grafana.BigValueColorMode.Background : grafana.BigValueColorMode.None,
    graphMode: grafana.BigValueGraphMode.Area,
    reduceOptions: { calcs: ['lastNotNull'] },
  } satisfies Partial<StatOptions>;
  const legend = { showLegend: true, displayMode: grafana.LegendDisplayMode.Table, placement: 'bottom' as const };
  const lineOptions = {
    legend: { ...legend, calcs: ['lastNotNull', 'max'] },
    tooltip: { mode: grafana.TooltipDisplayMode.Multi, sort: grafana.SortOrder.Descending },
  } satisfies LineOptions;
  const thresholdsStyle = { mode: grafana.GraphThresholdsStyleMode[isLimited ? 'Dashed' : 'Off'] };
  const custom = { axisSoftMin: 0, thresholdsStyle } satisfies grafana.GraphFieldConfig;
  const stat = { ...panel, type: 'stat', options: statOptions, fieldConfig: { defaults, overrides: [] } };
  const fieldConfig = { defaults: { ...defaults, custom }, overrides: [] };
  return { stat, lines: { ...panel, type: 'timeseries', options: lineOptions, fieldConfig } };
}

/** Returns a panel of the last value. */
export const stat = (...shown: Parameters<typeof both>) => both(...shown).stat;
/** Returns a panel of values over time. */
export const lines = (...shown: Parameters<typeof both>) => both(...shown).lines;

/** Returns a table of the alerts with these names that fire or are about to, and since when. */
export function alertTable(names: string): grafana.Panel {
  const of = `{alertname=~"${names}", namespace=~"$namespace|"}`;
  const by = 'alertname, severity, channel, kind, namespace';
  const since = `1000 * max by (${by}) (ALERTS_FOR_STATE${of})`;
  const shown = {
    is: 'Firing alerts, and pending ones, which fire if their condition lasts. No data means no alerts.',
    queries: { since: `${since} * on (${by}) group_right () max by (${by}, alertstate) (ALERTS${of})` },
  };
  const { fieldConfig, options, targets, ...panel } = lines('Alerts', 'dateTimeFromNow', 'README', shown);
  const columns = ['alertname', 'alertstate', 'Value', 'severity', 'channel', 'kind', 'namespace'];
  const indexByName = Object.fromEntries(columns.map((name, index) => [name, index]));
  const organize = { excludeByName: { Time: true }, indexByName, renameByName: { Value: 'since' } };
  return {
    ...{ ...panel, type: 'table', fieldConfig: { defaults: { unit: 'dateTimeFromNow' }, overrides: [] } },
    targets: targets.map((target) => ({ ...target, format: 'table', instant: true, range: false })),
    transformations: [{ id: 'organize', options: organize }],
  };
}

/** Places rows of panels below each other: in each, tables, then up to six stats or three graphs side by side. */
function arrange(rows: Record<string, grafana.Panel[]>): (grafana.Panel | grafana.RowPanel)[] {
  let bottom = 0;
  const placed = Object.entries(rows).flatMap(([title, panels]) => {
    const header = { type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y: bottom++, w: 24, h: 1 } };
    const below = [...Map.groupBy(panels, ({ type }) => type)].flatMap(([type, alike]) => {
      const across = { stat: 6, timeseries: Math.min(3, alike.length) }[type] ?? 1;
      const [top, w, h] = [bottom, 24 / across, type === 'stat' ? 4 : 8];
      bottom += Math.ceil(alike.length / across) * h;
      const placeOf = (index: number) => ({ x: (index % across) * w, y: top + Math.floor(index / across) * h, w, h });
      return alike.map((panel, index) => ({ ...panel, gridPos: placeOf(index) }));
    });
    return [header, ...below];
  });
  return placed.map((panel, index) => ({ ...panel, id: index + 1 }));
}

/** Returns a variable for the values of a label. */
const labelVariable = (name: string, metric: string): grafana.VariableModel => ({
  ...{ type: 'query', name, datasource: DATASOURCE, query: `label_values(${metric}, ${name})`, multi: true },
  ...{ includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } },
  ...{ refresh: grafana.VariableRefresh.onTimeRangeChanged, sort: grafana.VariableSort.alphabeticalAsc },
});

const RUNBOOKS = 'https://git.example.com/lockstep/blob/main/docs/runbooks';
const VARIABLES: grafana.VariableModel[] = [
  { type: 'datasource', name: 'datasource', query: 'prometheus' },
  labelVariable('namespace', 'lockstep_database_up'),
  labelVariable('channel', inNamespaces('lockstep_channel_pending_orders')),
  { type: 'textbox', name: 'runbooks', query: RUNBOOKS, current: { text: RUNBOOKS, value: RUNBOOKS } },
];

/** Returns a dashboard of rows of panels, with the variables that they use. */
export function dashboard(name: string, description: string, rows: Record<string, grafana.Panel[]>) {
  const used = JSON.stringify(rows);
  const others = { title: 'Lockstep', includeVars: true, keepTime: true, targetBlank: false };
  return {
    uid: `lockstep-${name.toLowerCase().replaceAll(' ', '-')}`,
    ...{ title: `Lockstep: ${name}`, description, tags: ['lockstep'] },
    links: [{ ...LINK, ...others, type: 'dashboards', tags: ['lockstep'] }],
    templating: { list: VARIABLES.filter((variable) => new RegExp(`\\$\\{?${variable.name}\\b`).test(used)) },
    ...{ time: { from: 'now-3h', to: 'now' }, refresh: '30s', timezone: 'browser', schemaVersion: 39 },
    graphTooltip: grafana.DashboardCursorSync.Crosshair,
    panels: arrange(rows),
  } satisfies grafana.Dashboard;
}

import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { ORDER_ROOT } from '@lockstep/contract';
import { pauseChannel } from '@lockstep/orders';
import { expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ALERTS } from '../../deploy/monitoring/panels.ts';
import { FILES } from '../../deploy/monitoring/write.ts';
import { read } from '../harness/browser/pages.ts';
import { newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { readExpression, type Series } from '../harness/processes/promql.ts';
import { testStack } from '../harness/stack.ts';

interface Panel {
  title: string;
  description: string;
  targets: { expr: string; legendFormat: string }[];
  links: { url: string }[];
}
const { stack, api } = await testStack();

/** The series of an API process and a worker, with the labels that Prometheus adds. */
async function readSeries(): Promise<Series> {
  const text = await (await fetch(`${stack.baseUrl}/metrics`)).text();
  for (const late of ['route="none"', 'lockstep_webhook_busy_seconds_total']) expect(text.includes(late)).toBe(true);
  // A metric with labels has no samples at first.
  const metrics = stack.metrics.registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[];
  const series: Series = new Map();
  for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) {
      const samples = [...text.matchAll(new RegExp(`^${name}${suffix}(\\{.*\\})? `, 'gm'))].map(([sample]) => sample);
      const values = [...samples.join().matchAll(/(\w+)="(.*?)"/g)].map(([, label, value]) => ({
        label: label!,
        value,
      }));
      const declared = metrics.find((metric) => metric.name === name)!.labelNames;
      const labels =
        samples.length > 0 ? values.map(({ label }) => label) : [...declared, ...(suffix === '_bucket' ? ['le'] : [])];
      const valuesOf = (of: string) => new Set(values.flatMap(({ label, value }) => (label === of ? [value!] : [])));
      series.set(
        name! + suffix,
        new Map([...labels, 'namespace', 'pod', 'job', 'instance'].map((of) => [of, valuesOf(of)])),
      );
    }
  }
  return series;
}
const sync = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
await pauseChannel(stack.db, 'test', async () => {});
await api.submit(sync);
// Refused calls are counted by their routes, too.
for (const path of [`${ORDER_ROOT}/events`, '/nothing']) await fetch(stack.baseUrl + path);
const series = await vi.waitFor(readSeries, { timeout: 30_000, interval: 500 });

interface Rule {
  alert: string;
  expr: string;
  annotations: object;
}
const { spec } = parse(read(ALERTS)) as { spec: { groups: { rules: Rule[] }[] } };
const rules = spec.groups.flatMap((group) => group.rules);
// Prometheus writes these two, with the labels of the alerts.
const ofAlerts = ['alertname', 'severity', ...rules.flatMap(({ expr }) => [...readExpression(expr, series).labels])];
series.set('ALERTS_FOR_STATE', new Map(ofAlerts.map((label) => [label, new Set()])));
series.set('ALERTS', new Map([...ofAlerts, 'alertstate'].map((label) => [label, new Set()])));

const dashboards = Object.values(FILES).flatMap((text) => (text.startsWith('{') ? [JSON.parse(text)] : []));
const panels: Panel[] = dashboards.flatMap((each) => each.panels).filter(({ type }) => type !== 'row');

it('the files of deploy/monitoring are those that npm run monitoring writes', () => {
  const files = globSync('*.{json,yaml}', { cwd: join(REPOSITORY, 'deploy/monitoring') });
  expect(Object.fromEntries(files.map((file) => [file, read(`deploy/monitoring/${file}`)]))).toEqual(FILES);
});

it('the rules are the alerts for the Prometheus Operator', () => {
  expect(parse(FILES['rules.yaml']!)).toEqual(spec);
});

/** The faults of an expression, and the labels of a text that its result doesn't have. */
function faultsOf(expression: string, text = '', label = /\{\{(\w+)\}\}/g): string[] {
  const { labels, faults } = readExpression(expression, series);
  const named = [...text.matchAll(label)].map(([, name]) => name!);
  return [...faults, ...named.filter((name) => !labels.has(name))];
}

it.each(rules)('the series and labels of $alert are in /metrics, and on a dashboard', ({ expr, annotations }) => {
  expect(faultsOf(expr, JSON.stringify(annotations), /\$labels\.(\w+)/g)).toEqual([]);
  const shown = panels.flatMap(({ targets }) => targets.map((target) => target.expr)).join();
  expect(expr.match(/\blockstep_\w+/g)!.filter((name) => !shown.includes(`${name}{`))).toEqual([]);
});

it('the autoscaler asks for what is in /metrics', () => {
  const { triggers } = parse(read('deploy/kubernetes/components/keda/scaled-object.yaml')).spec;
  expect(triggers.flatMap(({ metadata }: { metadata: { query: string } }) => faultsOf(metadata.query))).toEqual([]);
});

it.each(panels)('the panel $title asks for what is in /metrics, says what it means and leads to a runbook', (panel) => {
  for (const { expr, legendFormat } of panel.targets) {
    expect(faultsOf(expr, legendFormat)).toEqual([]);
    expect(expr).toContain('namespace=~"$namespace');
  }
  expect(panel.description).toMatch(/^\w.{20,}\.$/);
  const [, page] = /^\$\{runbooks\}(\/.+)$/.exec(panel.links[0]!.url)!;
  expect(existsSync(join(REPOSITORY, 'docs/runbooks', page!))).toBe(true);
});

it.each(dashboards)('the variables of $title have values', ({ templating }) => {
  for (const { query } of templating.list) {
    const [, expression, label] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
    if (expression !== undefined) expect(faultsOf(expression, `{{${label}}}`)).toEqual([]);
  }
});

it.each([
  'lockstep_held_customer',
  'rate(lockstep_drain_seconds[5m])',
  'lockstep_held_customers{channel="demo"}',
  'lockstep_webhook_lag_seconds{endpoints="slow"}',
  'lockstep_http_request_seconds_count{route=~".*/events|.*/batch"}',
  'lockstep_http_request_seconds_count{code="500", cause!="paused"}',
  'sum by (chanel) (lockstep_channel_pending_orders)',
  'sum by (le) (rate(lockstep_drain_seconds_count[5m]))',
  'process_cpu_seconds_total and on (job, host) lockstep_database_up',
  'sum by (job) (lockstep_jobs_total) / on (instance) lockstep_jobs_total',
  'sum(rate(lockstep_jobs_total[5m])',
])('a fault is found in %s', (expression) => {
  expect(faultsOf(expression)).not.toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Refusal } from '@lockstep/contract';
import { readDeploymentConfig } from '@lockstep/platform';
import ipaddr from 'ipaddr.js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { LANE_COUNT } from '../../packages/orders/src/lanes.ts';
import { checkUrl } from '../../packages/webhooks/src/addresses.ts';
import {
  findScriptCommand,
  knownVariables,
  PACKAGE,
  readDockerfile,
  readRepositoryFile,
  wordsOf,
} from '../harness/deployment-files.ts';
import { buildKustomization, type Manifest, patch } from '../harness/kustomize.ts';
import { findSchemaFaults } from '../harness/manifest-faults.ts';
import { type DeploymentFacts, findMismatches } from '../harness/manifest-mismatches.ts';
import { endEverything, REPOSITORY } from '../harness/processes.ts';
import { freePort } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

const ROOT = `${REPOSITORY}/deploy/kubernetes`;
const OVERLAYS = readdirSync(`${ROOT}/overlays`);
const BUILT = new Map(OVERLAYS.map((overlay) => [overlay, buildKustomization(`${ROOT}/overlays/${overlay}`)]));
/** The manifests of an overlay, for the test alone. */
const build = (overlay: string) => structuredClone(BUILT.get(overlay)!);
const find = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((each) => each.kind === kind && each.metadata.name === `lockstep-${name}`)!;

let facts: DeploymentFacts;
let database: TestDatabase;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  // Several hosts and a standby: there are metrics of these. The second host is away; Redis has no jobs of other tests.
  const several = database.url.replace(/@[^/]+/, `$&,127.0.0.1:${await freePort()}`);
  const urls = { DATABASE_URL: several, DATABASE_REPLICA_URL: several, REDIS_URL: `${inject('redisUrl')}/8` };
  const ports = { api: await freePort(), worker: await freePort() };
  const started = [
    ServiceProcess.api({ ...variablesOf('api'), ...urls, PORT: String(ports.api) }),
    ServiceProcess.worker({ ...variablesOf('worker'), ...urls, WORKER_PORT: String(ports.worker) }),
  ];
  running.push(...started);
  await Promise.all(started.map((each) => each.start()));
  const processOf = async <Port extends 'PORT' | 'WORKER_PORT'>(name: 'api' | 'worker', port: Port) => ({
    command: findScriptCommand(name)!,
    port,
    paths: await findAnswering(ports[name], ['/health/live', '/health/ready', '/metrics', '/healthz']),
  });
  facts = {
    processes: {
      migrate: { command: findScriptCommand('migrate')!, port: null, paths: [] },
      api: await processOf('api', 'PORT'),
      worker: await processOf('worker', 'WORKER_PORT'),
    },
    variables: knownVariables(),
    user: wordsOf(readDockerfile().image, 'USER')[0]!.join(' '),
    stopSeconds: Number(
      /\*\*Signals\.\*\* SIGTERM: [^.]* within (\d+) seconds/.exec(readRepositoryFile('docs/rules.md'))![1],
    ),
    metrics: new Set([...(await readMetrics(ports.api)), ...(await readMetrics(ports.worker))]),
    maxWorkers: LANE_COUNT / readDeploymentConfig({ ...variablesOf('worker'), ...urls }).WORKER_DRAINS,
  };
});
afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await database.close();
  await endEverything();
});

/** The variables that a Deployment sets by itself. */
function variablesOf(name: string): Record<string, string> {
  const variables: { name: string; value?: string }[] = find(build('production'), 'Deployment', name).spec.template.spec
    .containers[0].env;
  return Object.fromEntries(variables.flatMap((each) => (each.value === undefined ? [] : [[each.name, each.value]])));
}

async function findAnswering(port: number, paths: string[]): Promise<string[]> {
  const answers = await Promise.all(paths.map((path) => fetch(`http://127.0.0.1:${port}${path}`)));
  return paths.filter((_, place) => answers[place]!.status === 200);
}

/** The names under which Prometheus finds what a process says, with those that a histogram has. */
async function readMetrics(port: number): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => `${name}${end}`) : [name!],
  );
}

describe.each(OVERLAYS)('deploy/kubernetes/overlays/%s', (overlay) => {
  it('is valid by the schemas of its kinds and has no key that they do not know', async () => {
    expect(await findSchemaFaults(build(overlay))).toEqual([]);
  });

  it('fits the processes: commands, variables, ports, probes, how they stop, whom they reach, what they say', () => {
    expect(findMismatches(build(overlay), facts)).toEqual([]);
  });

  it('runs this release of one image in every process', () => {
    const containers = build(overlay).flatMap((each) => each.spec?.template?.spec.containers ?? []);
    expect(containers).toHaveLength(3);
    const images = new Set(containers.map(({ image }) => image));
    expect(images).toEqual(new Set([`registry.example.com/lockstep:${PACKAGE.version}`]));
  });

  it('holds no secret, and everything is in its namespace', () => {
    const manifests = build(overlay);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(JSON.stringify(manifests)).not.toMatch(/postgres(ql)?:\/\/|rediss?:\/\//);
    expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['lockstep']));
  });
});

describe('the egress of workers', () => {
  const rules: { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[] = find(
    build('production'),
    'NetworkPolicy',
    'worker',
  ).spec.egress;
  const blocks = rules.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
  const exceptions = blocks.flatMap(({ except = [] }) => except);
  const inUrl = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/`;

  it.each(exceptions)('to %s is closed, where no webhook may be either', (range) => {
    const [first] = ipaddr.parseCIDR(range);
    expect(() => checkUrl(inUrl(first.toString()), { allowPrivate: false })).toThrow(Refusal);
  });

  const PRIVATE = ['10.1.2.3', '172.31.0.1', '192.168.0.1', '127.0.0.1', '169.254.169.254', '100.100.100.200'];
  it.each([...PRIVATE, '168.63.129.16', '::1', 'fd00::1', 'fe80::1', '::ffff:10.1.2.3'])('closes %s', (address) => {
    const parsed = ipaddr.parse(address);
    const isIn = (range: string) => {
      const [network, bits] = ipaddr.parseCIDR(range);
      return network.kind() === parsed.kind() && parsed.match(network as never, bits);
    };
    const open = blocks.filter(({ cidr, except = [] }) => isIn(cidr) && !except.some(isIn));
    expect(open).toEqual([]);
  });

  it('to the internet is open', () => {
    expect(blocks.filter(({ except }) => except).map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
  });
});

const POD = '/spec/template/spec';
const CONTAINER = `${POD}/containers/0`;
type Break = { of: string; at: string; to: unknown; says: string };

describe('a manifest with a fault is found', () => {
  const of = 'Deployment api';
  const schema: Break[] = [
    { of, at: '/spec/replica', to: 3, says: '\'"replica"\' does not exist' },
    { of, at: `${POD}/terminationGracePeriod`, to: 40, says: 'terminationGracePeriod' },
    { of, at: `${CONTAINER}/readinessProbe/httpGet/pfad`, to: '/', says: 'pfad' },
    { of, at: `${CONTAINER}/securityContext/readOnly`, to: true, says: 'readOnly' },
    { of, at: `${CONTAINER}/env/0/valueFrom/secretKeyRef/secret`, to: 'x', says: 'secret' },
    { of, at: `${CONTAINER}/ports/0/containerPort`, to: '8080', says: "Type 'string' is not assignable" },
    { of, at: `${CONTAINER}/ports/0/containerPort`, to: 80.5, says: 'must be integer' },
    { of, at: `${CONTAINER}/resources/limits/memory`, to: '1Gigabyte', says: 'quantity' },
    { of, at: '/spec/strategy/type', to: 'Rolling', says: 'Rolling' },
    { of, at: '/metadata/annotation', to: {}, says: 'annotation' },
    { of: 'NetworkPolicy worker', at: '/spec/egress/2/to/0/ipBlock/excepts', to: [], says: 'excepts' },
    { of: 'HorizontalPodAutoscaler api', at: '/spec/metrics/0/resource/target/average', to: 7, says: 'average' },
    { of: 'PodDisruptionBudget api', at: '/spec/minAvailabel', to: 1, says: 'minAvailabel' },
    { of: 'Job migrate', at: '/spec/backoff', to: 1, says: 'backoff' },
    { of: 'ScaledObject worker', at: '/spec/triggers/0/metricsType', to: 'Value', says: 'metricsType' },
    { of: 'ScaledObject worker', at: '/spec/triggers/0/metadata/threshold', to: 10, says: 'string' },
    { of: 'PodMonitor worker', at: '/spec/podMetricsEndpoints/0/pfad', to: '/metrics', says: 'pfad' },
  ];
  it('by the schema, whatever the level', async () => {
    const broken = schema.map((each) => breakOne(each).manifest);
    const faults = await findSchemaFaults(broken);
    expect(faults).toEqual(schema.map(({ says }, place) => expect.stringMatching(`^${place}: .*${says}`)));
  });

  it.each<Break>([
    { of, at: `${CONTAINER}/command/2`, to: 'apps/api/main.ts', says: 'Deployment lockstep-api runs' },
    { of: 'Job migrate', at: `${CONTAINER}/command/1`, to: 'migrate.ts', says: 'Job lockstep-migrate runs' },
    { of, at: `${CONTAINER}/ports/0/containerPort`, to: 8081, says: 'listens on [8080], not on [8081]' },
    { of, at: `${CONTAINER}/ports/0/name`, to: 'web', says: 'no port for its startupProbe' },
    { of, at: `${CONTAINER}/livenessProbe/httpGet/path`, to: '/healthz', says: 'which does not answer' },
    { of, at: `${CONTAINER}/livenessProbe/httpGet/path`, to: '/health/ready', says: 'liveness is not' },
    { of, at: `${CONTAINER}/env/-`, to: { name: 'REDIS', value: 'x' }, says: 'sets REDIS, which nothing reads' },
    { of, at: `${CONTAINER}/env/-`, to: { name: 'DATABASE_POOL', value: '1' }, says: 'DATABASE_POOL must be' },
    { of, at: `${CONTAINER}/env/0/name`, to: 'REGION', says: 'DATABASE_URL is not set' },
    { of, at: `${POD}/securityContext/runAsUser`, to: 1001, says: 'does not run as 1000:1000' },
    { of, at: `${CONTAINER}/securityContext/readOnlyRootFilesystem`, to: false, says: 'may change its files' },
    { of, at: `${POD}/terminationGracePeriodSeconds`, to: 35, says: 'is killed before it ends' },
    { of, at: `${CONTAINER}/lifecycle/preStop/sleep/seconds`, to: 0, says: 'stops while it is still called' },
    { of, at: '/spec/replicas', to: 2, says: '2 say how many there are' },
    { of, at: '/spec/selector/matchLabels', to: { 'app.kubernetes.io/name': 'lockstep' }, says: 'selects others' },
    { of: 'Deployment worker', at: `${CONTAINER}/env/2/value`, to: '8082', says: 'listens on [8082], not on [8081]' },
    { of: 'Service api', at: '/spec/ports/0/targetPort', to: 8081, says: 'goes to the port 8081' },
    { of: 'HorizontalPodAutoscaler api', at: '/spec/minReplicas', to: 1, says: 'may be alone' },
    { of: 'NetworkPolicy api', at: '/spec/ingress/0/ports/0/port', to: 80, says: 'may be reached at [TCP 80]' },
    { of: 'NetworkPolicy migrate', at: '/spec/egress/1/ports/0/port', to: 5433, says: 'may reach' },
    { of: 'NetworkPolicy worker', at: '/spec/podSelector/matchLabels', to: { a: 'b' }, says: 'has 0 network policies' },
    { of: 'PodDisruptionBudget api', at: '/spec/selector/matchLabels', to: { a: 'b' }, says: 'has 0 budgets' },
    { of: 'ScaledObject worker', at: '/spec/maxReplicaCount', to: 50, says: 'find no lane' },
    { of: 'ScaledObject worker', at: '/metadata/namespace', to: 'shop', says: 'asks for another namespace' },
    {
      of: 'ScaledObject worker',
      at: '/spec/triggers/0/metadata/query',
      to: 'max(lockstep_oldest_order_seconds{namespace="lockstep"})',
      says: 'asks for lockstep_oldest_order_seconds, which no process has',
    },
  ])('by what is deployed: $of with $to at $at', (each) => {
    const { manifests } = breakOne(each);
    expect(findMismatches(manifests, facts).join('\n')).toContain(each.says);
  });

  /** The manifests for production, with one value put or added, and the manifest that has it. */
  function breakOne({ of, at, to }: Break) {
    const manifests = build('production');
    const [kind, name] = of.split(' ') as [string, string];
    const manifest = find(manifests, kind, name);
    patch(manifest, [{ op: at.endsWith('/-') || !/\/\d+$/.test(at) ? 'add' : 'replace', path: at, value: to }]);
    return { manifests, manifest };
  }
});

/** Whether there is a kubectl that knows how to build, of 1.27 or later. */
const hasKubectl = (() => {
  try {
    return execFileSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).includes('Kustomize Version: v5');
  } catch {
    return false;
  }
})();

it.skipIf(!hasKubectl).each(OVERLAYS)('kubectl builds the same of %s as the tests', (overlay) => {
  const text = execFileSync('kubectl', ['kustomize', `${ROOT}/overlays/${overlay}`], { encoding: 'utf8' });
  const byName = (manifests: Manifest[]) =>
    Object.fromEntries(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
  const built = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  expect(byName(built)).toEqual(byName(build(overlay)));
});

import { isDeepStrictEqual } from 'node:util';
import { readDeploymentConfig } from '@lockstep/platform';
import type { Manifest } from './kustomize.ts';

/** What a process of a deployment really is. */
interface ProcessFacts {
  command: string[];
  /** The variable that says where it listens; null if it does not listen. */
  port: 'PORT' | 'WORKER_PORT' | null;
  /** The paths that answer there with status 200. */
  paths: string[];
}

/** What the manifests are held against. */
export interface DeploymentFacts {
  processes: Record<string, ProcessFacts>;
  variables: Set<string>;
  /** User and group of the image. */
  user: string;
  /** How long a process takes at most from SIGTERM to its end. */
  stopSeconds: number;
  metrics: Set<string>;
  maxWorkers: number;
}

// biome-ignore lint/suspicious/noExplicitAny: schemas have checked what a manifest holds.
type Part = any;

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const podOf = (manifest: Manifest): Part => manifest.spec?.template;
const containerOf = (manifest: Manifest): Part => podOf(manifest).spec.containers[0];
const selects = (selector: Part, labels: Part) =>
  Object.entries(selector.matchLabels ?? selector).every(([name, value]) => labels?.[name] === value);

/** Returns in which ways manifests differ from what they deploy, one line each. */
export function findMismatches(manifests: Manifest[], facts: DeploymentFacts): string[] {
  const workloads = manifests.filter((each) => podOf(each) !== undefined);
  return [
    ...workloads.flatMap((each) => [
      ...processMismatches(each, facts),
      ...hardeningMismatches(each, facts.user),
      ...lifeMismatches(each, manifests, facts),
      ...networkMismatches(each, manifests),
    ]),
    ...manifests.flatMap((each) => [...selectorMismatches(each, workloads), ...metricMismatches(each, facts)]),
  ];
}

/** Command, variables, ports and probes. */
function processMismatches(workload: Manifest, facts: DeploymentFacts): string[] {
  const faults: string[] = [];
  const name = nameOf(workload);
  const container = containerOf(workload);
  const process = facts.processes[workload.metadata.labels?.['app.kubernetes.io/component'] ?? ''];
  if (process === undefined) return [`${name} is no process of a deployment`];
  if (!isDeepStrictEqual(container.command, process.command)) faults.push(`${name} runs ${container.command}`);
  const variables: Part[] = container.env;
  for (const { name: variable } of variables) {
    if (!facts.variables.has(variable)) faults.push(`${name} sets ${variable}, which nothing reads`);
  }
  let port: number | undefined;
  try {
    const required = variables.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.optional !== true);
    const secrets: Record<string, string> = { DATABASE_URL: 'postgres://user:password@database/lockstep' };
    const config = readDeploymentConfig(
      Object.fromEntries(required.map((each) => [each.name, each.value ?? secrets[each.name]])),
    );
    port = process.port === null ? undefined : config[process.port];
  } catch (error) {
    faults.push(`${name}: ${(error as Error).message}`);
  }
  const ports: Part[] = container.ports ?? [];
  const declared = ports.map(({ containerPort }) => containerPort);
  const listens = port === undefined ? [] : [port];
  if (!isDeepStrictEqual(declared, listens)) faults.push(`${name} listens on [${listens}], not on [${declared}]`);
  if (process.port === null) return faults;
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const { path, port } = container[probe]?.httpGet ?? {};
    if (!ports.some((each) => each.name === port)) faults.push(`${name}: no port for its ${probe}`);
    if (!process.paths.includes(path)) faults.push(`${name}: its ${probe} asks for ${path}, which does not answer`);
  }
  // What waits for its database must not be killed, and must get no calls.
  if (container.livenessProbe?.httpGet?.path !== '/health/live') faults.push(`${name}: liveness is not /health/live`);
  if (container.readinessProbe?.httpGet?.path !== '/health/ready') {
    faults.push(`${name}: readiness is not /health/ready`);
  }
  return faults;
}

/** What a process must not be able to do, and what it may use. */
function hardeningMismatches(workload: Manifest, user: string): string[] {
  const { automountServiceAccountToken, serviceAccountName, securityContext } = podOf(workload).spec;
  const container = containerOf(workload);
  const own = container.securityContext;
  const rules: [boolean, string][] = [
    [automountServiceAccountToken === false, 'has a token of the cluster'],
    [serviceAccountName === workload.metadata.name, 'has no service account of its own'],
    [securityContext?.runAsNonRoot === true, 'may run as root'],
    [`${securityContext?.runAsUser}:${securityContext?.runAsGroup}` === user, `does not run as ${user}`],
    [securityContext?.seccompProfile?.type === 'RuntimeDefault', 'may make any system call'],
    [own?.allowPrivilegeEscalation === false, 'may gain privileges'],
    [own?.readOnlyRootFilesystem === true, 'may change its files'],
    [isDeepStrictEqual(own?.capabilities, { drop: ['ALL'] }), 'has capabilities'],
    [own?.privileged === undefined, 'is privileged'],
    [Boolean(container.resources?.requests?.cpu && container.resources.requests.memory), 'asks for no CPU or memory'],
    [Boolean(container.resources?.limits?.memory), 'may use any memory'],
  ];
  return rules.filter(([holds]) => !holds).map(([, fault]) => `${nameOf(workload)} ${fault}`);
}

/** How many there are, how they stop and are replaced. */
function lifeMismatches(workload: Manifest, manifests: Manifest[], facts: DeploymentFacts): string[] {
  if (workload.kind !== 'Deployment') return [];
  const name = nameOf(workload);
  const faults: string[] = [];
  const { terminationGracePeriodSeconds = 30, topologySpreadConstraints = [] } = podOf(workload).spec;
  const sleepSeconds = containerOf(workload).lifecycle?.preStop?.sleep?.seconds ?? 0;
  if (terminationGracePeriodSeconds - sleepSeconds < facts.stopSeconds) faults.push(`${name} is killed before it ends`);
  if (
    manifests.some(({ kind, spec }) => kind === 'Service' && selects(spec.selector, podOf(workload).metadata.labels))
  ) {
    if (sleepSeconds === 0) faults.push(`${name} stops while it is still called`);
  }
  if (workload.spec.strategy?.rollingUpdate?.maxUnavailable !== 0) faults.push(`${name} has fewer during an update`);
  const zones = (topologySpreadConstraints as Part[]).map(({ topologyKey }) => topologyKey);
  if (!zones.includes('topology.kubernetes.io/zone')) faults.push(`${name} may be in one zone`);
  const scalers = manifests.filter(({ spec }) => spec?.scaleTargetRef?.name === workload.metadata.name);
  const least = scalers
    .map(({ spec }) => spec.minReplicas ?? spec.minReplicaCount)
    .concat(workload.spec.replicas ?? []);
  if (least.length !== 1) faults.push(`${name}: ${least.length} say how many there are`);
  if (!(Math.min(...least) >= 2)) faults.push(`${name} may be alone`);
  const budgets = manifests.filter(
    ({ kind, spec }) => kind === 'PodDisruptionBudget' && selects(spec.selector, podOf(workload).metadata.labels),
  );
  if (budgets.length !== 1) faults.push(`${name} has ${budgets.length} budgets for disruption`);
  return faults;
}

/** Whom it may reach, and who may reach it. */
function networkMismatches(workload: Manifest, manifests: Manifest[]): string[] {
  const name = nameOf(workload);
  const component = workload.metadata.labels?.['app.kubernetes.io/component'] ?? '';
  const policies = manifests.filter(
    ({ kind, spec }) => kind === 'NetworkPolicy' && selects(spec.podSelector, podOf(workload).metadata.labels),
  );
  if (policies.length !== 1) return [`${name} has ${policies.length} network policies`];
  const { policyTypes, ingress = [], egress = [] } = policies[0]!.spec;
  const faults: string[] = [];
  if (!isDeepStrictEqual(policyTypes, ['Ingress', 'Egress'])) faults.push(`${name} has a policy for [${policyTypes}]`);
  const portsOf = (rules: Part[]) =>
    rules.flatMap(({ ports }) => (ports as Part[]).map(({ protocol, port }) => `${protocol} ${port}`));
  const ports: Part[] = containerOf(workload).ports ?? [];
  const listens = ports.map(({ containerPort }) => `TCP ${containerPort}`);
  if (!isDeepStrictEqual(portsOf(ingress), listens)) {
    faults.push(`${name} may be reached at [${portsOf(ingress)}]`);
  }
  const database = ['UDP 53', 'TCP 53', 'TCP 5432'];
  const needed = { migrate: database, api: [...database, 'TCP 6379'], worker: [...database, 'TCP 6379', 'TCP 1'] };
  if (!isDeepStrictEqual(portsOf(egress), needed[component as keyof typeof needed])) {
    faults.push(`${name} may reach [${portsOf(egress)}]`);
  }
  return faults;
}

/** Whether what is selected exists. */
function selectorMismatches(manifest: Manifest, workloads: Manifest[]): string[] {
  const { kind, spec } = manifest;
  const selected = (selector: Part) => workloads.filter((each) => selects(selector, podOf(each).metadata.labels));
  const name = nameOf(manifest);
  switch (kind) {
    case 'Deployment':
      return [
        spec.selector,
        ...(podOf(manifest).spec.topologySpreadConstraints ?? []).map((each: Part) => each.labelSelector),
      ]
        .filter((selector) => !isDeepStrictEqual(selected(selector), [manifest]))
        .map((selector) => `${name} selects others by ${JSON.stringify(selector)}`);
    case 'PodDisruptionBudget':
    case 'NetworkPolicy':
      return selected(spec.selector ?? spec.podSelector).length === 1 ? [] : [`${name} does not select one process`];
    case 'Service':
    case 'PodMonitor': {
      const [process, ...others] = selected(spec.selector);
      if (process === undefined || others.length > 0) return [`${name} does not select one process`];
      const wanted = (spec.ports ?? spec.podMetricsEndpoints).map((each: Part) => each.targetPort ?? each.port);
      const named = containerOf(process).ports.map((each: Part) => each.name);
      return isDeepStrictEqual(wanted, named) ? [] : [`${name} goes to the port ${wanted}`];
    }
    case 'HorizontalPodAutoscaler':
    case 'ScaledObject': {
      const target = workloads.find((each) => each.metadata.name === spec.scaleTargetRef.name);
      return target?.kind === 'Deployment' ? [] : [`${name} scales nothing`];
    }
    default:
      return [];
  }
}

/** Metrics that are asked for, and how far they may scale. */
function metricMismatches(manifest: Manifest, facts: DeploymentFacts): string[] {
  const { kind, spec, metadata } = manifest;
  const name = nameOf(manifest);
  const faults: string[] = [];
  for (const [metric] of JSON.stringify(spec ?? {}).matchAll(/\blockstep_\w+/g)) {
    if (!facts.metrics.has(metric)) faults.push(`${name} asks for ${metric}, which no process has`);
  }
  if (kind === 'ScaledObject') {
    const { query } = spec.triggers[0].metadata;
    if (!query.includes(`{namespace="${metadata.namespace}"}`)) faults.push(`${name} asks for another namespace`);
    if (spec.maxReplicaCount > facts.maxWorkers) faults.push(`${name} starts workers that find no lane`);
  }
  return faults;
}

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readDeploymentConfig } from '@lockstep/config';
import { Refusal } from '@lockstep/contract';
import { checkUrl } from '@lockstep/webhooks/testing';
import ipaddr from 'ipaddr.js';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { testDeployment } from '../harness/processes/deployment.ts';
import {
  findScriptCommand,
  knownVariables,
  PACKAGE,
  readDockerfile,
  readRepositoryFile,
  wordsOf,
} from '../harness/processes/deployment-files.ts';
import { checkValues, findUnknownKeys, type Manifest, readManifests } from '../harness/processes/manifests.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';

const ROOT = `${REPOSITORY}/deploy/kubernetes`;
const DIRECTORIES = ['base', ...['components', 'overlays'].flatMap((parent) => subdirectories(parent))];
const OVERLAYS = subdirectories('overlays');

interface Kustomization {
  resources: string[];
  components?: string[];
  images?: { newTag: string }[];
  patches?: { target: { kind: string; name: string }; path: string }[];
}
const kustomizations = DIRECTORIES.map((directory) => ({
  directory,
  file: parse(readFileSync(`${ROOT}/${directory}/kustomization.yaml`, 'utf8')) as Kustomization,
}));

/** What base and components deploy; overlays only name, count and configure it. */
const MANIFESTS = kustomizations.flatMap(({ directory, file }) =>
  file.resources
    .filter((resource) => resource.endsWith('.yaml'))
    .flatMap((resource) => readManifests(`${ROOT}/${directory}/${resource}`)),
);
const WORKLOADS = MANIFESTS.filter(({ spec }) => spec?.template !== undefined);
const DEPLOYMENTS = WORKLOADS.filter(({ kind }) => kind === 'Deployment');
const find = (kind: string, name: string) =>
  MANIFESTS.find((each) => each.kind === kind && each.metadata.name === `lockstep-${name}`)!;
const componentOf = ({ metadata }: Manifest) => metadata.labels!['app.kubernetes.io/component']!;
const podOf = ({ spec }: Manifest) => spec.template.spec;
const containerOf = (workload: Manifest) => podOf(workload).containers[0];

function subdirectories(parent: string): string[] {
  return readdirSync(`${ROOT}/${parent}`).map((name) => `${parent}/${name}`);
}

it('kustomizations name files and manifests that exist, and this release', () => {
  for (const { directory, file } of kustomizations) {
    const named = [...file.resources, ...(file.components ?? []), ...(file.patches ?? []).map(({ path }) => path)];
    expect(named.filter((name) => !existsSync(`${ROOT}/${directory}/${name}`))).toEqual([]);
    for (const { target } of file.patches ?? []) {
      expect(find(target.kind, target.name.replace('lockstep-', ''))).toBeDefined();
    }
    for (const { newTag } of file.images ?? []) expect(newTag).toBe(PACKAGE.version);
  }
});

/** Whether there is a kubectl that can render components. */
const hasKubectl = (() => {
  try {
    return execFileSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).includes('Kustomize Version: v5');
  } catch {
    return false;
  }
})();
it.skipIf(!hasKubectl).each(OVERLAYS)('kubectl renders %s', (overlay) => {
  const text = execFileSync('kubectl', ['kustomize', `${ROOT}/${overlay}`], { encoding: 'utf8' });
  expect(text.match(/image: registry\.example\.com\/lockstep:/g)).toHaveLength(WORKLOADS.length);
});

it('manifests match the schemas of their kinds and have no unknown keys', async () => {
  await Promise.all(MANIFESTS.map(checkValues));
  expect(await findUnknownKeys(MANIFESTS)).toBe('');
  const misspelled = structuredClone(find('Deployment', 'api'));
  containerOf(misspelled).readinessProbe.httpGet.pfad = '/';
  expect(await findUnknownKeys([misspelled])).toContain('pfad');
});

it('manifests hold no secret', () => {
  expect(MANIFESTS.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  expect(JSON.stringify(MANIFESTS)).not.toMatch(/postgres(ql)?:\/\/|rediss?:\/\//);
});

describe.each(WORKLOADS)('$kind $metadata.name', (workload) => {
  const container = containerOf(workload);

  it('runs a process of this release with variables that it reads', () => {
    const component = componentOf(workload);
    expect(container.command).toEqual(findScriptCommand(component));
    const patches = component === 'api' ? OVERLAYS.map((overlay) => `${ROOT}/${overlay}/api-settings.yaml`) : [];
    const steps = patches.flatMap((file) => parse(readFileSync(file, 'utf8')) as { value: { name: string } }[]);
    const names: string[] = [...container.env, ...steps.map(({ value }) => value)].map(({ name }) => name);
    const known = knownVariables();
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    const secrets: Record<string, string> = { DATABASE_URL: 'postgres://user:password@database/lockstep' };
    const config = readDeploymentConfig({ ...secrets, ...variablesOf(workload) });
    const port = { api: config.PORT, worker: config.WORKER_PORT }[component];
    expect((container.ports ?? []).map((each: { containerPort: number }) => each.containerPort)).toEqual(
      port === undefined ? [] : [port],
    );
  });

  it('has few rights and bounded memory', () => {
    expect(podOf(workload)).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: workload.metadata.name,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    const { runAsUser, runAsGroup } = podOf(workload).securityContext;
    expect(`${runAsUser}:${runAsGroup}`).toBe(wordsOf(readDockerfile().image, 'USER')[0]!.join(' '));
    expect(container).toMatchObject({
      resources: { limits: { memory: expect.any(String) } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  });
});

describe.each(DEPLOYMENTS)('Deployment $metadata.name', (deployment) => {
  it('stops only when its work is done', () => {
    const grace = Number(
      /\*\*Signals\.\*\* SIGTERM[^.]* within (\d+)\s+seconds/.exec(readRepositoryFile('docs/rules.md'))![1],
    );
    const sleep = containerOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0;
    expect(podOf(deployment).terminationGracePeriodSeconds - sleep).toBeGreaterThanOrEqual(grace);
    if (componentOf(deployment) === 'api') expect(sleep).toBeGreaterThan(0);
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });

  it.each(['PodDisruptionBudget', 'NetworkPolicy', 'PodMonitor', 'Service'])(
    'is the one that its %s selects',
    (kind) => {
      for (const { spec } of MANIFESTS.filter(
        (each) => each.kind === kind && componentOf(each) === componentOf(deployment),
      )) {
        const { matchLabels = spec.selector } = spec.selector ?? spec.podSelector;
        const { labels } = deployment.spec.template.metadata;
        expect(matchLabels).toEqual(labels);
        expect(deployment.spec.selector.matchLabels).toEqual(labels);
        const ports: { port: string; targetPort?: string }[] =
          kind === 'Service' ? spec.ports : (spec.podMetricsEndpoints ?? []);
        const [{ name: port }] = containerOf(deployment).ports;
        expect(ports.map((each) => each.targetPort ?? each.port).filter((each) => each !== port)).toEqual([]);
      }
    },
  );
});

describe('beside running processes', async () => {
  const { api, probes: ofWorkers } = await testDeployment({ env: { REDIS_URL: `${inject('redisUrl')}/8` } });
  const addresses: Record<string, string> = { api: api.baseUrl, worker: ofWorkers[0]! };

  it.each(DEPLOYMENTS)('the probes of $metadata.name are answered', async (deployment) => {
    const { ports: declared, ...probes } = containerOf(deployment);
    // A process that waits for its database must not be killed, and must get no calls.
    const paths = { startupProbe: '/health/live', livenessProbe: '/health/live', readinessProbe: '/health/ready' };
    for (const [probe, path] of Object.entries(paths)) {
      expect(probes[probe].httpGet).toEqual({ path, port: declared[0].name });
      expect((await fetch(addresses[componentOf(deployment)] + path)).status).toBe(200);
    }
  });

  it('alerts and the autoscaler ask for metrics that a process has', async () => {
    const texts = await Promise.all(
      Object.values(addresses).map(async (address) => (await fetch(`${address}/metrics`)).text()),
    );
    const has = (metric: string) => texts.some((text) => new RegExp(`^${metric}[ {]`, 'm').test(text));
    const typed = (metric: string) => texts.some((text) => text.includes(`# TYPE ${metric} `));
    const asked = JSON.stringify(MANIFESTS).match(/\blockstep_\w+/g)!;
    expect(asked.filter((metric) => !has(metric) && !typed(metric))).toEqual([]);
  });
});

/** The variables whose values a workload names itself. */
function variablesOf(workload: Manifest): Record<string, string> {
  const variables: { name: string; value?: string }[] = containerOf(workload).env;
  return Object.fromEntries(variables.flatMap((each) => (each.value === undefined ? [] : [[each.name, each.value]])));
}

describe('the egress of workers', () => {
  const rules: { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[] = find('NetworkPolicy', 'worker').spec
    .egress;
  const blocks = rules.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
  const exceptions = blocks.flatMap(({ except = [] }) => except);
  const inUrl = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/`;

  it.each(exceptions)('to %s is closed, where no webhook may be either', async (range) => {
    const [first] = ipaddr.parseCIDR(range);
    await expect(checkUrl(inUrl(first.toString()), { allowPrivate: false })).rejects.toThrow(Refusal);
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

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readDeploymentConfig } from '@lockstep/config';
import { buildMessage, type Cause, codeOf, Refusal } from '@lockstep/contract';
import { checkUrl } from '@lockstep/webhooks/testing';
import { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { findRedisServer, freePort } from '../harness/network/redis.ts';
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
import { REPOSITORY, runJob } from '../harness/processes/processes.ts';

interface Service {
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  stop_grace_period?: string;
  deploy?: { replicas: string };
  image?: string;
  volumes?: string[];
  configs?: { source: string; target: string }[];
}

/** The file with the defaults of Compose's `${NAME:-default}`. */
const compose = parse(
  readRepositoryFile('docker-compose.yml').replace(/\$\{\w+:-([^}]*)\}/g, (_, value: string) => value),
  // A process gets every value as text.
  { merge: true, schema: 'failsafe' },
) as { services: Record<string, Service>; configs?: Record<string, { content: string }> };
const { postgres, redis, migrate, api, worker, proxy } = compose.services as Record<
  'postgres' | 'redis' | 'proxy',
  Service
> &
  Record<'migrate' | 'api' | 'worker', Service & { environment: Record<string, string> }>;

const REDIS_PASSWORD = redis.environment!.REDISCLI_AUTH!;

describe('docker-compose.yml', () => {
  it('runs PostgreSQL, Redis, a proxy, and more than one of each process of a deployment', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['api', 'migrate', 'postgres', 'proxy', 'redis', 'worker']);
    for (const service of [api, worker]) expect(Number(service.deploy?.replicas)).toBeGreaterThan(1);
  });

  it('leaves PostgreSQL connections for twice the processes, as while they are replaced', () => {
    // docs/deployment.md, "Configuration": what each opens beside its pool, and the least pool of a worker.
    const { DATABASE_POOL, WORKER_DRAINS } = readDeploymentConfig(worker.environment);
    const ofApi = 21 + DATABASE_POOL;
    const ofWorker = Math.max(DATABASE_POOL, WORKER_DRAINS + 7);
    const needed = Number(api.deploy!.replicas) * ofApi + Number(worker.deploy!.replicas) * ofWorker;
    const [, room] = /max_connections=(\d+)/.exec(postgres.command!.join(' '))!;
    expect(Number(room)).toBeGreaterThan(2 * needed);
  });

  it('has the proxy send calls to the API, and gives it time to end those that wait', () => {
    const { PORT } = readDeploymentConfig(api.environment);
    const [source, target] = proxy.volumes![0]!.split(':');
    expect(target).toBe('/usr/local/etc/haproxy/haproxy.cfg');
    const configuration = readRepositoryFile(source!);
    const [, most, host] = new RegExp(`server-template api (\\d+) (\\w+):${PORT} `).exec(configuration)!;
    expect(compose.services).toHaveProperty(host!);
    expect(Number(most)).toBeGreaterThanOrEqual(2 * Number(api.deploy!.replicas));
    const [, hardStopSeconds] = /hard-stop-after (\d+)s/.exec(configuration)!;
    expect(Number.parseInt(proxy.stop_grace_period!, 10)).toBeGreaterThan(Number(hardStopSeconds));
    expect(proxy.depends_on).toEqual({ api: { condition: 'service_healthy' } });
  });

  it.each(['migrate', 'api', 'worker'] as const)('runs %s as the npm script does', (name) => {
    expect(compose.services[name]?.command).toEqual(findScriptCommand(name));
    expect(existsSync(`${REPOSITORY}/${findScriptCommand(name)?.at(-1)}`)).toBe(true);
  });

  it.each(['migrate', 'api', 'worker'] as const)('gives %s only variables that it reads, with valid values', (name) => {
    const environment = compose.services[name]?.environment ?? {};
    expect(new Set(Object.keys(environment)).difference(knownVariables())).toEqual(new Set());
    const { DATABASE_URL, REDIS_URL } = readDeploymentConfig(environment);
    const database = new URL(DATABASE_URL);
    expect({
      POSTGRES_USER: database.username,
      POSTGRES_PASSWORD: database.password,
      POSTGRES_DB: database.pathname.slice(1),
    }).toEqual(postgres.environment);
    expect(compose.services).toHaveProperty(database.hostname);
    const queue = new URL(REDIS_URL!);
    expect(compose.services).toHaveProperty(queue.hostname);
    expect(queue.password).toBe(REDIS_PASSWORD);
  });

  it('shows no password among the arguments of a process, where every user of the host sees it', () => {
    const source = parse(readRepositoryFile('docker-compose.yml'), { merge: true }) as typeof compose;
    const lines = Object.values(source.services).flatMap(({ command = [], healthcheck }) => [
      ...command,
      ...(healthcheck?.test ?? []),
    ]);
    expect(lines.filter((line) => line.includes('PASSWORD'))).toEqual([]);
  });

  it('starts migrations after PostgreSQL, and the processes after the migrations', () => {
    expect(migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const service of [api, worker]) {
      expect(service.depends_on).toEqual({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
      expect(Number.parseInt(service.stop_grace_period ?? '0', 10)).toBeGreaterThan(30);
    }
  });

  it('publishes the port of the proxy alone, to this machine alone', () => {
    const [, bound] = /^ {2}bind :(\d+)$/m.exec(readRepositoryFile('deploy/haproxy.cfg'))!;
    const { PORT } = readDeploymentConfig(api.environment);
    expect(proxy.ports).toEqual([`127.0.0.1:${PORT}:${bound}`]);
    const others = [postgres, redis, migrate, api, worker];
    expect(others.flatMap((service) => service.ports ?? [])).toEqual([]);
  });
});

it('the proxy answers with the words of the contract', () => {
  const answers = [...readRepositoryFile('deploy/haproxy.cfg').matchAll(/^ {2}setenv \w+ '(\{.*\})'$/gm)];
  const bodies = answers.map(([, json]) => JSON.parse(json!) as { code: string; message: string; cause: Cause });
  expect(bodies.length).toBe(5);
  for (const { cause, ...rest } of bodies)
    expect(rest).toEqual({ code: codeOf(cause, 'order'), message: buildMessage(cause) });
});

it('no image has a tag that can move to another version', () => {
  const files = globSync(
    ['Dockerfile', '*.yml', '.github/**/*.yml', 'deploy/**/*.yaml', '*.md', '{docs,test}/**/*.md'],
    { cwd: REPOSITORY, exclude: ['node_modules'] },
  );
  const images = files.flatMap((file) =>
    [
      ...readRepositoryFile(file).matchAll(/(?:image: |^FROM |docker run (?:-\S+(?: [A-Z]+)? )*)([\w./-]+(?::\S+)?)/gm),
    ].map(([, name]) => name!),
  );
  const pinned = /^(postgres:\d+\.\d+|[\w./-]+:\d+\.\d+\.\d+)(-[\w.]+)?(@sha256:\w+)?$/;
  // The image that the Dockerfile builds, and a stage of it.
  const others = images.filter((image) => image !== 'lockstep' && image !== 'base');
  expect(others.filter((image) => !pinned.test(image))).toEqual([]);
  expect(new Set(others.map((image) => image.split(':')[0]))).toEqual(
    new Set(['haproxy', 'node', 'postgres', 'redis']),
  );
});

describe('the Redis of docker-compose.yml', async () => {
  let server: ChildProcess;
  const directory = mkdtempSync(path.join(tmpdir(), 'lockstep-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;

  beforeAll(() => {
    const [program, file] = redis.command!;
    expect(program).toBe('redis-server');
    const config = redis.configs!.find(({ target }) => target === file)!;
    writeFileSync(`${directory}/redis.conf`, compose.configs![config.source]!.content);
    server = spawn(findRedisServer(), ['redis.conf', '--port', String(port)], { cwd: directory, stdio: 'ignore' });
  });
  afterAll(async () => {
    server.kill();
    await once(server, 'exit');
    rmSync(directory, { recursive: true });
  });

  it('keeps its jobs', async () => {
    const client = new Redis(url, { password: REDIS_PASSWORD, retryStrategy: () => 50, maxRetriesPerRequest: null });
    client.on('error', () => {});
    expect(await client.config('GET', 'maxmemory-policy', 'appendonly')).toEqual(
      expect.arrayContaining(['maxmemory-policy', 'noeviction', 'appendonly', 'yes']),
    );
    client.disconnect();
  });

  it('lets nobody in without the password', async () => {
    const client = new Redis(url, { lazyConnect: true });
    client.on('error', () => {});
    await expect(client.ping()).rejects.toThrow('NOAUTH');
    client.disconnect();
  });
});

/** Processes with the settings of docker-compose.yml, on a Redis database without the jobs of other tests. */
const running = await testDeployment({
  env: { ...api.environment, ...worker.environment, REDIS_URL: `${inject('redisUrl')}/7` },
});

describe('the health checks of docker-compose.yml', () => {
  const { PORT, WORKER_PORT } = readDeploymentConfig({ ...worker.environment, ...api.environment });

  it.each<[what: string, service: Service, ownPort: number, address: string | undefined]>([
    ['find a ready API', api, PORT, running.api.baseUrl],
    ['find a ready worker', worker, WORKER_PORT!, running.probes[0]],
    ['fail where nothing answers', api, PORT, undefined],
  ])('%s', async (_, service, ownPort, address) => {
    const [kind, program, ...args] = service.healthcheck?.test ?? [];
    expect([kind, program]).toEqual(['CMD', 'node']);
    expect(args.join(' ')).toContain(`:${ownPort}/health/ready`);
    const port = address === undefined ? await freePort() : new URL(address).port;
    // As Docker runs it, on the port of the process in this test.
    const { status } = await runJob([process.execPath, ...args.map((arg) => arg.replace(`:${ownPort}/`, `:${port}/`))]);
    if (address === undefined) expect(status).not.toBe(0);
    else expect(status).toBe(0);
  });
});

describe('Dockerfile', () => {
  const { before, image } = readDockerfile();
  const copies = wordsOf(image, 'COPY');
  const copied = copies.filter(([first]) => !first?.startsWith('--from=')).flatMap((words) => words.slice(0, -1));

  it('uses the Node.js of the tests, as an unprivileged user', () => {
    const [[tag, digest] = [], ...others] = [...wordsOf(before, 'FROM'), ...wordsOf(image, 'FROM')].map((words) =>
      words.join(' ').split('@'),
    );
    expect([tag, ...others]).toEqual([`node:${PACKAGE.devDependencies.node}-slim`, ['base AS console'], ['base']]);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64} AS base$/);
    // The user `node` of that image; by number, so that Kubernetes can tell that it is not root.
    expect(wordsOf(image, 'USER')).toEqual([['1000:1000']]);
    expect(process.versions.node).toBe(PACKAGE.devDependencies.node);
  });

  it('copies files that exist and are not ignored, every workspace and the migrations', () => {
    const [everything, ...exceptions] = readRepositoryFile('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(everything).toBe('*');
    for (const source of [...copied, ...wordsOf(before, 'COPY').flatMap((words) => words.slice(0, -1))]) {
      expect(existsSync(`${REPOSITORY}/${source}`)).toBe(true);
      expect(exceptions).toContain(`!${source}`);
    }
    const workspaces = PACKAGE.workspaces.filter((workspace) => !/^test\b/.test(workspace));
    for (const workspace of workspaces) expect(copied).toContain(workspace.replace('/*', ''));
    expect(copied).toContain('migrations');
  });

  it('holds the console as a stage of its own builds it, with the libraries that only browsers need', () => {
    expect(wordsOf(before, 'COPY').flat()).toEqual(expect.arrayContaining(['packages', 'apps', 'tsconfig.json']));
    const build = 'node apps/console/build.ts';
    expect(wordsOf(before, 'RUN').map((words) => words.join(' '))).toEqual([`npm ci --ignore-scripts && ${build}`]);
    expect(existsSync(`${REPOSITORY}/apps/console/build.ts`)).toBe(true);
    expect(copies).toContainEqual(['--from=console', '/app/apps/console/dist', 'apps/console/dist']);
  });

  it('installs what runs, without what tests and builds', () => {
    expect(wordsOf(image, 'RUN').map((words) => words.join(' '))).toEqual([
      expect.stringMatching(/^npm ci --omit=dev /),
    ]);
  });

  it('runs the API, on every address of the container', () => {
    expect(JSON.parse(wordsOf(image, 'CMD')[0]!.join(' '))).toEqual(findScriptCommand('api'));
    expect(wordsOf(image, 'ENV').flat()).toContain('HOST=0.0.0.0');
    expect(wordsOf(image, 'EXPOSE')).toEqual([[String(readDeploymentConfig(api.environment).PORT)]]);
  });
});

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

describe('beside running processes', () => {
  const addresses: Record<string, string> = { api: running.api.baseUrl, worker: running.probes[0]! };

  it.each(DEPLOYMENTS)('the probes of $metadata.name are answered', async (deployment) => {
    const { ports: declared, ...probes } = containerOf(deployment);
    // A process that waits for its database must not be killed, and must get no calls.
    const paths = { startupProbe: '/health/live', livenessProbe: '/health/live', readinessProbe: '/health/ready' };
    for (const [probe, path] of Object.entries(paths)) {
      expect(probes[probe].httpGet).toEqual({ path, port: declared[0].name });
      expect((await fetch(addresses[componentOf(deployment)] + path)).status).toBe(200);
    }
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

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { loadFirstTeamKey } from '../../src/run/embedded/keys.ts';
import type { ProcessPlan } from '../../src/run/embedded/supervision/supervised-process.ts';
import { installPackages } from '../../src/run/embedded/system-packages.ts';
import { ensureTemporalBinary } from '../../src/run/embedded/temporal/temporal-binary.ts';
import type { Progress } from '../../src/run/embedded/terminal-progress.ts';
import { workflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { readCompose, serviceOf } from '../../test/support/service/compose.ts';
import { runJob } from './jobs.ts';
import { linkServices } from './links.ts';
import type { ClusterOptions } from './options.ts';
import { checkPlaces, environmentOf, type PlacedFile, placesOf, variablesOf } from './places.ts';
import { createPortPicker, type PickPort } from './port-picker.ts';
import { planPostgres } from './postgres.ts';
import { linkPrograms, obtainServer } from './programs.ts';
import { OWN_CHECKOUT, planApi, planBucket, planWorker, type RoleContext } from './roles.ts';
import type { Supervisor } from './supervisor.ts';
import { planTemporalServer, SPARE_PORTS } from './temporal-server.ts';

/**
 * One worker for each role, so that a task queue without a worker is noticed, and two hosts of browser
 * sessions.
 */
const WORKERS = ['scrape', 'pages', 'webhooks', 'models', 'sessions', 'sessions'];
const APIS = 2;

/** The URLs and keys of a cluster. */
export interface Services {
  /** URL of the first API. */
  url: string;
  /** URLs of all APIs. */
  urls: string[];
  /** API key of the first team. */
  key: string;
  /** `host:port` of Temporal. */
  temporalAddress: string;
  /** Base URLs of `/ready` and `/metrics`, by the name of the API or worker. */
  healthUrls: Record<string, string>;
}

/** Plans an API or worker by its name, from a checkout. */
type PlanOf = (name: string, checkout: string) => ProcessPlan;

interface Start {
  options: ClusterOptions;
  dataDir: string;
  supervisor: Supervisor;
  progress: Progress;
}

/** Starts the services of docker-compose.yml in the order of their dependencies. */
export async function startServices(start: Start): Promise<Services & { planOf: PlanOf }> {
  const { options, dataDir, supervisor, progress } = start;
  const { signal, bucket = false, env = {} } = options;
  const { cacheDir, chromium } = readConfig();
  const key = loadFirstTeamKey({ dataDir, apiKey: env.WINNOW_API_KEY }).value;
  const pickPort = createPortPicker();
  const ports = { postgres: await pickPort(), temporal: await pickPort(), blobs: await pickPort() };
  const { placed, program, path } = await placeFile({ ...start, key, ports });
  const { checkout = OWN_CHECKOUT, settingsOf } = options;
  const links = await linkServices(ports, options.link);
  const context: RoleContext = {
    placed,
    links,
    settingsOf,
    dataDir,
    cacheDir,
    chromium,
    bucket,
    checkout,
    onWarning: progress.note,
  };
  await installPackages({ cacheDir, progress, ...(signal && { signal }) });

  await supervisor.start([await planPostgres({ placed, dataDir, port: ports.postgres })]);
  const jobOptions = { path, signal, note: progress.note };
  await progress.step("Making Temporal's tables", () => runJob(placed, 'schema', jobOptions));
  const temporal = planTemporalServer({
    program,
    dataDir,
    port: ports.temporal,
    sparePorts: await Promise.all(Array.from({ length: SPARE_PORTS }, pickPort)),
    environment: environmentOf(placed, 'temporal', {
      POSTGRES_SEEDS: '127.0.0.1',
      DB_PORT: String(links.temporal.postgres),
      BIND_ON_IP: '127.0.0.1',
    }),
  });
  await supervisor.start(bucket ? [temporal, planBucket(context, ports.blobs)] : [temporal]);
  await progress.step("Making Temporal's namespace", () => runJob(placed, 'namespace', jobOptions));
  // Bundles the workflows once, as the image does, because the workers start at the same time.
  await workflowBundle(cacheDir);
  const roles = await startRoles(start, context, pickPort);
  return { url: roles.urls[0] ?? '', key, temporalAddress: `127.0.0.1:${ports.temporal}`, ...roles };
}

/** Reads docker-compose.yml and replaces programs, variables, host names and paths for this machine. */
async function placeFile({
  options: { env = {}, signal },
  dataDir,
  progress,
  key,
  ports,
}: Start & { key: string; ports: Record<'postgres' | 'temporal' | 'blobs', number> }) {
  const { cacheDir } = readConfig();
  const file = await readCompose();
  const version = /:([^@]+)/.exec(serviceOf(file, 'temporal').image)?.[1] ?? '';
  const programs = await obtainServer({ version, cacheDir, progress, signal });
  const { path: cli } = await ensureTemporalBinary(cacheDir, progress, signal);
  const dynamicConfig = join(dataDir, 'winnow.yaml');
  await writeFile(dynamicConfig, file.compose.configs.temporal?.content ?? '');
  const placed: PlacedFile = {
    file,
    env: variablesOf(file, { dataDir, key, given: env }),
    places: placesOf({ ports, dynamicConfig, schema: programs.schema }),
  };
  checkPlaces(placed);
  return {
    placed,
    program: join(programs.directory, 'temporal-server'),
    path: linkPrograms(dataDir, programs, cli),
  };
}

async function startRoles({ options, supervisor }: Start, context: RoleContext, pickPort: PickPort) {
  const { apis = APIS, workers = WORKERS } = options;
  const planners: Record<string, (context: RoleContext) => ProcessPlan> = {};
  const ports: Record<string, number> = {};
  for (let index = 1; index <= apis; index++) {
    const port = await pickPort();
    ports[`api-${index}`] = port;
    planners[`api-${index}`] = (context) => planApi(context, index, port);
  }
  const urls = Object.values(ports).map(urlOf);
  for (const [at, roles] of workers.entries()) {
    const [index, port] = [at + 1, await pickPort()];
    ports[`worker-${index}`] = port;
    planners[`worker-${index}`] = (context) => planWorker(context, { index, port, roles });
  }
  await supervisor.start(Object.values(planners).map((plan) => plan(context)));
  const planOf: PlanOf = (name, checkout) => {
    const plan = planners[name];
    if (!plan) throw new Error(`${name} is no API or worker, as ${Object.keys(planners).join(', ')} are.`);
    return plan({ ...context, checkout });
  };
  const healthUrls = Object.entries(ports).map(([name, port]) => [name, urlOf(port)]);
  return { urls, healthUrls: Object.fromEntries(healthUrls), planOf };
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`;

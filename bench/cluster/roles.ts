import { join, relative, resolve } from 'node:path';
import { openLog } from '../../src/run/embedded/supervision/log-files.ts';
import { planServiceProcess } from '../../src/run/embedded/supervision/service-process.ts';
import type { ProcessPlan } from '../../src/run/embedded/supervision/supervised-process.ts';
import { serviceOf } from '../../test/support/service/compose.ts';
import type { BucketSettings } from './bucket.ts';
import type { Links } from './links.ts';
import { BUCKET_KEY, environmentOf, hostsOf, type PlacedFile, withoutSurroundings } from './places.ts';

/** The directory of this checkout. */
export const OWN_CHECKOUT = join(import.meta.dirname, '..', '..');

/** Number of start attempts. Docker would restart a container without limit. */
const ATTEMPTS = 5;

/** The settings that APIs and workers share. */
export interface RoleContext {
  placed: PlacedFile;
  /** Where APIs and workers find the services that they depend on. */
  links: Links;
  /** More variables of a process, see `ClusterOptions`. */
  settingsOf: ((name: string) => Record<string, string>) | undefined;
  dataDir: string;
  cacheDir: string;
  /** Path of the browser, if the user has set one. */
  chromium: string | undefined;
  /** Whether blobs are in an S3 bucket, as in the file, instead of a directory. */
  bucket: boolean;
  /** Directory of the checkout that APIs and workers are started from. */
  checkout: string;
  onWarning(text: string): void;
}

/** Plans one process of the service `api`. @param index counts from 1 */
export function planApi(context: RoleContext, index: number, port: number): ProcessPlan {
  const settings = { PORT: String(port) };
  return planRole(context, { service: 'api', name: `api-${index}`, title: `API ${index}`, settings });
}

/**
 * Plans one process of the service `worker`.
 * @param worker.roles as in WINNOW_WORKER_ROLES; empty means all
 */
export function planWorker(
  context: RoleContext,
  worker: { index: number; port: number; roles: string },
): ProcessPlan {
  const { index, port, roles } = worker;
  return planRole(context, {
    service: 'worker',
    name: `worker-${index}`,
    title: `worker ${index} (${roles || 'all roles'})`,
    // All workers share this machine, so each serves its sessions at a free port.
    replacements: { WINNOW_WORKER_PORT: String(port), WINNOW_SESSION_ADDRESS: '127.0.0.1:0' },
    settings: { WINNOW_WORKER_ROLES: roles },
  });
}

/** Plans the S3 server. */
export function planBucket({ placed, dataDir, onWarning }: RoleContext, port: number): ProcessPlan {
  const settings: BucketSettings = {
    BUCKET_DIRECTORY: join(dataDir, 'bucket'),
    BUCKET_PORT: String(port),
    BUCKET_NAME: serviceOf(placed.file, 'blobs').environment.GARAGE_DEFAULT_BUCKET ?? '',
  };
  return planServiceProcess({
    name: 'blobs',
    title: 'the bucket',
    entry: '../bench/cluster/bucket.ts',
    settings: withoutSurroundings(settings),
    log: openLog(dataDir, 'blobs'),
    graceMs: 5_000,
    onWarning,
  });
}

interface Role {
  service: 'api' | 'worker';
  name: string;
  title: string;
  replacements?: Record<string, string>;
  /** Settings that are not in the file, because a container has ports and files of its own. */
  settings: Record<string, string>;
}

function planRole(context: RoleContext, role: Role): ProcessPlan {
  const { placed, dataDir, cacheDir, chromium, bucket, onWarning } = context;
  const { command = [], stop_grace_period: grace = '10s' } = serviceOf(placed.file, role.service);
  const places = { ...placed.places, ...hostsOf(context.links[role.service]) };
  const environment = environmentOf({ ...placed, places }, role.service, {
    HOST: '127.0.0.1',
    ...(bucket
      ? { AWS_ACCESS_KEY_ID: BUCKET_KEY.id, AWS_SECRET_ACCESS_KEY: BUCKET_KEY.secret }
      : { WINNOW_BLOBS: join(dataDir, 'blobs') }),
    ...role.replacements,
  });
  const settings = withoutSurroundings({
    ...environment,
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: join(cacheDir, 'compiled'),
    WINNOW_DATA_DIR: join(dataDir, role.name),
    WINNOW_CACHE_DIR: cacheDir,
    WINNOW_CHROMIUM: chromium ?? '',
    ...role.settings,
    ...context.settingsOf?.(role.name),
  });
  const plan = planServiceProcess({
    name: role.name,
    title: role.title,
    // The command of the file names `src/server.ts`; the entry is relative to `src` of this checkout.
    entry: join(relative(join(OWN_CHECKOUT, 'src'), resolve(context.checkout)), command[1] ?? ''),
    settings,
    log: openLog(dataDir, role.name),
    graceMs: Number.parseInt(grace, 10) * 1000,
    onWarning,
  });
  return { ...plan, attempts: ATTEMPTS };
}

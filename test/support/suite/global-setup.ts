import type { TestProject, Vitest } from 'vitest/node';
import { startSecurityService } from '../../security/service.ts';
import { rememberPorts } from '../network/listen.ts';
import { type ProjectService, type ServiceAccess, startService } from '../service/start-service.ts';
import { createEmptyPostgres, type EmptyPostgres } from '../storage/empty-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The service that all test files of the project share. */
    service: ServiceAccess;
    /** The directory of {@link EmptyPostgres}. */
    emptyPostgres: string;
  }
}

/** How the service of each project starts, with a copy of an empty Postgres. */
const STARTS: Record<string, (emptyPostgres: string) => Promise<ProjectService>> = {
  service: (emptyPostgres) => startPlainService({ emptyPostgres, logLevel: 'warn' }),
  faults: (emptyPostgres) => startPlainService({ emptyPostgres, logLevel: 'debug' }),
  security: startSecurityService,
};

declare global {
  /**
   * By project. Vitest gives each project its own instance of this module, so that they share only global
   * variables.
   */
  var winnowTestServices: Map<string, Promise<ProjectService>> | undefined;
  var winnowTestPostgres: Promise<EmptyPostgres> | undefined;
  var forgetWinnowTestPorts: (() => void) | undefined;
}

/**
 * Starts the real service (Postgres, Temporal, worker and API) once for all test files of a project, and
 * stops it after the last one. Vitest sets up one project after the other, so the first setup starts the
 * services of all projects.
 */
export default async function setup(project: TestProject) {
  globalThis.winnowTestPostgres ??= createEmptyPostgres();
  globalThis.winnowTestServices ??= startServices(project.vitest, globalThis.winnowTestPostgres);
  globalThis.forgetWinnowTestPorts ??= rememberPorts();
  try {
    const service = await globalThis.winnowTestServices.get(project.name);
    if (!service) throw new Error(`No service was started for the tests of the project ${project.name}`);
    service.provide(project);
    project.provide('emptyPostgres', (await globalThis.winnowTestPostgres).directory);
  } catch (error) {
    await stopServices();
    throw error;
  }
  return stopServices;
}

/**
 * Starts the services of all projects that have files in this run.
 * @returns them by the name of the project
 */
function startServices(
  vitest: Vitest,
  emptyPostgres: Promise<EmptyPostgres>,
): Map<string, Promise<ProjectService>> {
  const files = vitest.state.getPaths();
  const projects = vitest.projects.filter((project) => files.some((file) => project.matchesTestGlob(file)));
  return new Map(
    projects.flatMap(({ name }) => {
      const start = STARTS[name];
      if (!start) return [];
      const service = emptyPostgres.then(({ directory }) => start(directory));
      // The setup of its project reports a failure.
      service.catch(() => undefined);
      return [[name, service] as const];
    }),
  );
}

/** Stops the services of all projects together; there are none left when the next project calls this. */
async function stopServices(): Promise<void> {
  const services = [...(globalThis.winnowTestServices?.values() ?? [])];
  globalThis.winnowTestServices = undefined;
  const started = await Promise.allSettled(services);
  await Promise.all(started.map((each) => each.status === 'fulfilled' && each.value.stop()));
  const emptyPostgres = globalThis.winnowTestPostgres;
  globalThis.winnowTestPostgres = undefined;
  // A failure to create it has failed the setup.
  await emptyPostgres?.then(
    (created) => created.remove(),
    () => undefined,
  );
  globalThis.forgetWinnowTestPorts?.();
  globalThis.forgetWinnowTestPorts = undefined;
}

/** Where WINNOW_TEST_SERVICE describes a running service as JSON, the tests use that one. */
async function startPlainService({
  emptyPostgres,
  logLevel,
}: {
  emptyPostgres: string;
  logLevel: string;
}): Promise<ProjectService> {
  const given = process.env.WINNOW_TEST_SERVICE;
  if (given)
    return {
      provide: (project) => project.provide('service', JSON.parse(given)),
      stop: () => Promise.resolve(),
    };
  // A browser takes many seconds for a page of the default limit of 50 MiB.
  const service = await startService({
    emptyPostgres,
    env: { LOG_LEVEL: logLevel, WINNOW_MAX_BODY_MB: '10' },
  });
  const { url, key, dataDir } = service;
  return {
    provide: (project) => project.provide('service', { url, key, dataDir }),
    stop: () => service.stop(),
  };
}

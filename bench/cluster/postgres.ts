import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inheritedEnvironment } from '../../src/config.ts';
import { postgresDir, preparePostgres } from '../../src/run/embedded/postgres.ts';
import {
  findPostgresPrograms,
  keepPrograms,
  postgresUser,
} from '../../src/run/embedded/postgres-programs.ts';
import type { ProcessPlan } from '../../src/run/embedded/supervision/supervised-process.ts';
import { serviceOf } from '../../test/support/service/compose.ts';
import type { PlacedFile } from './places.ts';

/** Plans the embedded Postgres, with the settings of the service in docker-compose.yml. */
export async function planPostgres(options: {
  placed: PlacedFile;
  dataDir: string;
  port: number;
}): Promise<ProcessPlan> {
  const { placed, dataDir, port } = options;
  const { plan } = await preparePostgres({ dataDir, port });
  const directory = postgresDir(dataDir);
  const user = await postgresUser(directory);
  const { bin } = keepPrograms(findPostgresPrograms(directory), directory);
  const [, ...settings] = serviceOf(placed.file, 'postgres').command ?? [];
  const place = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='];
  return {
    ...plan,
    launch: () =>
      spawn(
        join(bin, 'postgres'),
        ['-D', directory, ...settings, ...place.flatMap((setting) => ['-c', setting])],
        {
          detached: true,
          cwd: '/',
          env: inheritedEnvironment({ LC_ALL: 'C' }),
          stdio: ['ignore', plan.log.fd, plan.log.fd],
          ...user,
        },
      ),
  };
}

import { loadPostgresPassword, loadSecretKey } from '../../src/run/embedded/keys.ts';
import { type ComposeFile, interpolate, serviceOf } from '../../test/support/service/compose.ts';
import type { Dependency } from './options.ts';

/** Host names and paths in docker-compose.yml, with their replacements on this machine. */
export type Places = Record<string, string>;

/** The only key that s3rver accepts. */
export const BUCKET_KEY = { id: 'S3RVER', secret: 'S3RVER' };

/** Variables that a process inherits from the machine, in a container or not. */
const AROUND = new Set(['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']);

/** docker-compose.yml with its replacements for this machine. */
export interface PlacedFile {
  file: ComposeFile;
  /** Values of the variables of the file. */
  env: Record<string, string>;
  places: Places;
}

/**
 * The environment that docker-compose.yml gives to a service.
 * @param replacements values for variables that make sense only in a container. Variables that the file does
 * not set are
 *   refused, because the two would drift apart
 */
export function environmentOf(
  placed: PlacedFile,
  name: string,
  replacements: Record<string, string> = {},
): Record<string, string> {
  const { environment } = serviceOf(placed.file, name);
  for (const variable of Object.keys(replacements)) {
    if (!(variable in environment))
      throw new Error(`docker-compose.yml does not set ${variable} for ${name} (any more).`);
  }
  const values = Object.entries(environment).map(([variable, value]) => [variable, place(value, placed)]);
  return { ...Object.fromEntries(values), ...replacements };
}

/**
 * Settings as in a container. All other variables of this process are `undefined`, so that a child does not
 * inherit them.
 */
export function withoutSurroundings(settings: Record<string, string>): Record<string, string | undefined> {
  const surrounding = Object.keys(process.env).filter((variable) => !AROUND.has(variable));
  return { ...Object.fromEntries(surrounding.map((variable) => [variable, undefined])), ...settings };
}

/** A text of the file with its variables resolved and its host names and paths replaced. */
export function place(text: string, { env, places }: PlacedFile): string {
  return Object.entries(places).reduce(
    (all, [there, here]) => all.replaceAll(there, here),
    interpolate(text, env),
  );
}

/** The replacements for this machine. */
export function placesOf(options: {
  ports: Record<Dependency, number>;
  /** Path of Temporal's dynamic configuration. */
  dynamicConfig: string;
  /** Directory with the SQL schema of Temporal. */
  schema: string;
}): Places {
  const { ports, dynamicConfig, schema } = options;
  return {
    ...hostsOf(ports),
    '--ep postgres -p 5432': `--ep 127.0.0.1 -p ${ports.postgres}`,
    '/etc/temporal/winnow.yaml': dynamicConfig,
    '/etc/temporal/schema': schema,
  };
}

/** The host names of the services in the file, with where a service finds them on this machine. */
export const hostsOf = (ports: Record<Dependency, number>): Places => ({
  'postgres:5432': `127.0.0.1:${ports.postgres}`,
  'temporal:7233': `127.0.0.1:${ports.temporal}`,
  'http://blobs:3900': `http://localhost:${ports.blobs}`,
});

/** Checks that the file contains every host name and path to be replaced. @throws Error for a missing one */
export function checkPlaces({ file, places }: PlacedFile): void {
  for (const there of Object.keys(places)) {
    if (!file.source.includes(there)) throw new Error(`docker-compose.yml does not say ${there} (any more).`);
  }
}

/**
 * Values for the variables of the file: the given ones, and generated keys and passwords.
 * @throws Error for a variable that the file does not use
 */
export function variablesOf(
  file: ComposeFile,
  { dataDir, key, given }: { dataDir: string; key: string; given: Record<string, string> },
): Record<string, string> {
  const unknown = Object.keys(given).filter((name) => !file.variables.includes(name));
  if (unknown.length) throw new Error(`docker-compose.yml hands no ${unknown.join(', ')} on.`);
  return {
    WINNOW_SECRET_KEY: loadSecretKey({ dataDir }).value,
    WINNOW_API_KEY: key,
    S3_SECRET_KEY: BUCKET_KEY.secret,
    ...given,
    POSTGRES_PASSWORD: loadPostgresPassword(dataDir),
  };
}

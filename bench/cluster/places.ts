import { loadPostgresPassword, loadSecretKey } from '../../src/embedded/keys.ts';
import { type ComposeFile, interpolate, serviceOf } from '../../test/support/compose.ts';

/** What stands in the cluster file, and what it is here: addresses of containers, paths within them. */
export type Places = Record<string, string>;

/** The only key that the bucket of this machine, s3rver, knows. */
export const BUCKET_KEY = { id: 'S3RVER', secret: 'S3RVER' };

/** Variables that a process needs of the machine around it, container or not. */
const AROUND = new Set(['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']);

/** The cluster file, read for this machine. */
export interface PlacedFile {
  file: ComposeFile;
  /** Values of its variables. */
  env: Record<string, string>;
  places: Places;
}

/**
 * The environment that the file gives to a service.
 * @param replacements values for what holds within a container only; a variable that the file does not set is refused,
 *   the two would drift
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

/** Settings as a container has them: what only surrounds us is in them as `undefined`, so that a child does not inherit it. */
export function withoutSurroundings(settings: Record<string, string>): Record<string, string | undefined> {
  const surrounding = Object.keys(process.env).filter((variable) => !AROUND.has(variable));
  return { ...Object.fromEntries(surrounding.map((variable) => [variable, undefined])), ...settings };
}

/** A text of the file with its variables filled in and its places replaced. */
export function place(text: string, { env, places }: PlacedFile): string {
  return Object.entries(places).reduce(
    (all, [there, here]) => all.replaceAll(there, here),
    interpolate(text, env),
  );
}

/** Where the parts of the file are on this machine. */
export function placesOf(options: {
  ports: Record<'postgres' | 'temporal' | 'blobs', number>;
  /** The file of Temporal's dynamic configuration. */
  dynamicConfig: string;
  /** The directory with the definitions of Temporal's tables. */
  schema: string;
}): Places {
  const { ports, dynamicConfig, schema } = options;
  return {
    'postgres:5432': `127.0.0.1:${ports.postgres}`,
    '--ep postgres -p 5432': `--ep 127.0.0.1 -p ${ports.postgres}`,
    'temporal:7233': `127.0.0.1:${ports.temporal}`,
    'http://blobs:3900': `http://localhost:${ports.blobs}`,
    '/etc/temporal/winnow.yaml': dynamicConfig,
    '/etc/temporal/schema': schema,
  };
}

/** @throws Error when the file does not name one of the places (any more) */
export function checkPlaces({ file, places }: PlacedFile): void {
  for (const there of Object.keys(places)) {
    if (!file.source.includes(there)) throw new Error(`docker-compose.yml does not say ${there} (any more).`);
  }
}

/**
 * Values for the variables of the file: what is given, and keys and passwords that are made.
 * @throws Error for one that the file would not hand on
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

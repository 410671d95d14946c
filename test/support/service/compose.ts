import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const FILE = join(import.meta.dirname, '..', '..', '..', 'docker-compose.yml');

const CONDITIONS = ['service_started', 'service_healthy', 'service_completed_successfully'] as const;
const serviceSchema = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  init: z.boolean().optional(),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  shm_size: z.string().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  networks: z.array(z.string()),
  profiles: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  deploy: z.strictObject({ replicas: z.int() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).optional(),
  configs: z.array(z.strictObject({ source: z.string(), target: z.string() })).optional(),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.int() })
    .optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.enum(CONDITIONS) })).default({}),
});
/** The part of Compose's format that the file uses. Unknown keys are errors, so a misspelt one is noticed. */
const composeSchema = z.strictObject({
  name: z.string(),
  'x-winnow': z.unknown(),
  'x-settings': z.unknown(),
  'x-temporal-database': z.unknown(),
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.null()),
  configs: z.record(z.string(), z.strictObject({ content: z.string() })),
});

/** One service of the file, anchors resolved, variables not. */
export type ComposeService = z.output<typeof serviceSchema>;

/** The cluster file of this repository. */
export interface ComposeFile {
  /** Its text. */
  source: string;
  compose: z.output<typeof composeSchema>;
  /** The variables that can be set from outside. */
  variables: string[];
}

/** @throws ZodError for what the schema does not know */
export async function readCompose(): Promise<ComposeFile> {
  const source = await readFile(FILE, 'utf8');
  const names = [...source.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name);
  return {
    source,
    compose: composeSchema.parse(parse(source, { merge: true })),
    variables: [...new Set(names)],
  };
}

/** A service by its name. */
export function serviceOf({ compose }: ComposeFile, name: string): ComposeService {
  const service = compose.services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}.`);
  return service;
}

/**
 * Resolves `$$`, `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as Compose does. An empty variable
 * counts as unset.
 * @throws Error for a variable that must be set and is not
 */
export function interpolate(text: string, env: Record<string, string | undefined>): string {
  return text.replace(/\$\$|\$\{(\w+)(?::([?-])([^}]*))?\}/g, (found, name, kind, rest) => {
    if (found === '$$') return '$';
    if (env[name]) return env[name];
    if (kind === '?') throw new Error(`docker-compose.yml needs ${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
}

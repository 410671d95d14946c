import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { describeSettings, readConfig } from '../../src/config.ts';
import { MEMORY_SETTINGS } from '../../src/run/embedded/supervision/service-process.ts';
import { planTemporalServer } from '../../src/run/embedded/temporal/temporal-server.ts';
import { interpolate, readCompose } from '../support/service/compose.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string) => readFile(join(ROOT, name), 'utf8');

const { source, compose, variables } = await readCompose();
const ours = Object.entries(compose.services).filter(([, service]) => service.build);
const settings = new Set(describeSettings().map(({ variable }) => variable));
/** Read by the S3 library itself. */
const AWS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
/** Variables of the other services in the file. All other variables are settings of Winnow. */
const SECRETS = ['POSTGRES_PASSWORD', 'S3_SECRET_KEY'];

test('every setting in docker-compose.yml exists and is valid', () => {
  expect(ours.map(([name]) => name)).toEqual(['api', 'worker']);
  const env = {
    POSTGRES_PASSWORD: 'p1',
    S3_SECRET_KEY: 's1',
    WINNOW_SECRET_KEY: 'k1',
    WINNOW_API_KEY: 'fc-1',
  };
  for (const [, { environment }] of ours) {
    expect(Object.keys(environment).filter((name) => !settings.has(name) && !AWS.includes(name))).toEqual([]);
    const given = Object.entries(environment).map(([name, value]) => [name, interpolate(value, env)]);
    const config = readConfig(Object.fromEntries(given));
    expect(config).toMatchObject({
      host: '0.0.0.0',
      databaseUrl: 'postgres://winnow:p1@postgres:5432/winnow',
      temporalAddress: 'temporal:7233',
      secretKey: 'k1',
    });
    const blobs = new URL(config.blobs);
    expect([blobs.protocol, blobs.hostname, blobs.searchParams.get('endpoint')]).toEqual([
      's3:',
      compose.services.blobs?.environment.GARAGE_DEFAULT_BUCKET,
      'http://blobs:3900',
    ]);
    expect(compose.configs.garage?.content).toContain(`s3_region = "${blobs.searchParams.get('region')}"`);
  }
});

test('every variable of docker-compose.yml is a setting or one of the two secrets of its services', () => {
  expect(new Set(variables.filter((name) => !settings.has(name)))).toEqual(new Set(SECRETS));
});

test('every setting can be set by a variable, except those that the file fixes and paths inside containers', () => {
  const temporal = [...settings].filter((name) => name.startsWith('TEMPORAL_'));
  const decided = ['HOST', 'DATABASE_URL', 'WINNOW_BLOBS', ...temporal];
  const inside = [
    'DATA_DIR',
    'CACHE_DIR',
    'ENV_FILE',
    'CHROMIUM',
    'YT_DLP',
    'ADBLOCK_LISTS',
    'OCR_DATA',
    'WORKER_PORT',
    'SCRAPE_SOCKET',
    'SESSION_ADDRESS',
  ];
  // The URL of a service is for commands, and not for the service itself.
  const closed = new Set([...decided, 'WINNOW_URL', ...inside.map((name) => `WINNOW_${name}`)]);
  const open = new Set(variables);
  expect([...settings].filter((name) => !open.has(name) && !closed.has(name))).toEqual([]);
});

test('no secret has a default, and nothing but the API is published unless it is asked for', () => {
  for (const name of [...SECRETS, 'WINNOW_SECRET_KEY', 'WINNOW_API_KEY']) {
    const uses = [...source.matchAll(new RegExp(`\\$\\{${name}(..)`, 'g'))];
    expect(uses.length).toBeGreaterThan(0);
    for (const [, kind] of uses) expect(kind).toBe(':?');
  }
  const open = Object.entries(compose.services).flatMap(([name, { ports = [], profiles = [] }]) =>
    ports.map((port) => `${[name, ...profiles].join(' ')} ${port}`),
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose fills it in, not JavaScript.
  expect(open).toEqual(['api ${PORT:-3002}:3002', 'temporal-ui ui 127.0.0.1:8233:8080']);
  expect(compose.networks.parts).toEqual({ internal: true });
  for (const name of ['postgres', 'schema', 'temporal', 'namespace', 'blobs']) {
    expect(compose.services[name]?.networks).toEqual(['parts']);
  }
});

test('the API reaches the browser sessions of workers, which can make sandboxes, and nobody else does', () => {
  const { api, worker } = compose.services;
  const given = Object.entries(worker?.environment ?? {}).filter(([name]) => /_(ADDRESS|PORT)$/.test(name));
  const { sessionAddress, workerPort } = readConfig(Object.fromEntries(given));
  expect(sessionAddress).toEqual({ address: '0.0.0.0', port: expect.any(Number) });
  expect([0, workerPort]).not.toContain(sessionAddress.port);
  expect(worker).not.toHaveProperty('ports');
  expect(worker?.networks).toEqual(api?.networks);
  // Chromium's sandbox needs user namespaces, which two of Docker's profiles forbid, and bubblewrap a /proc
  // of its own.
  expect(worker?.security_opt).toEqual(
    expect.arrayContaining(['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined']),
  );
});

test('the image has what sandboxes and the languages of sessions need', async () => {
  const dockerfile = await read('Dockerfile');
  for (const name of ['bubblewrap', 'chromium-headless-shell', 'python3-pip'])
    expect(dockerfile).toMatch(new RegExp(`apt-get install [^&]*\\s${name}\\s`));
  // The programs that the build runs import modules of the product.
  const imports = [...dockerfile.matchAll(/import \{ (\w+) \} from '\/app\/(src\/[^']+)'/g)];
  expect(imports.map(([, name]) => name)).toContain('installLanguages');
  for (const [, name = '', path = ''] of imports)
    expect(await import(join(ROOT, path)), path).toHaveProperty(name);
});

test('versions are pinned by their digests, and Node is the one of package.json', async () => {
  const images = Object.values(compose.services)
    .filter(({ build }) => !build)
    .map(({ image }) => image);
  expect(images.filter((image) => !/:v?\d+\.\d+\S*@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  const { dependencies } = JSON.parse(await read('package.json'));
  const bases = [...(await read('Dockerfile')).matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  const stages = [...(await read('Dockerfile')).matchAll(/ AS (\w+)$/gm)].map(([, stage]) => stage);
  expect(new Set(bases.filter((base) => !stages.includes(base))).size).toBe(1);
  const [name, digest] = bases[0]?.split('@') ?? [];
  expect(name).toBe(`node:${dependencies.node}-bookworm-slim`);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test('the commands name files that exist and are in the image', async () => {
  const dockerfile = await read('Dockerfile');
  for (const [, { command = [] }] of ours) {
    expect(command).toHaveLength(2);
    expect(command[0]).toBe('node');
    await access(join(ROOT, command[1] ?? ''));
    expect(command[1]).toMatch(/^src\//);
  }
  const copied = [...dockerfile.matchAll(/^COPY (?:--chown=\S+ )?(?!--)(.+) \S+$/gm)].flatMap(
    ([, names = '']) => names.split(' '),
  );
  const admitted = (await read('.dockerignore')).trim().split('\n');
  for (const name of copied) {
    await access(join(ROOT, name));
    expect(admitted).toContain(`!${name}`);
  }
  for (const [, name = ''] of dockerfile.matchAll(/\b(WINNOW_\w+)=/g)) expect(settings).toContain(name);
});

test('the conditions that services wait for exist and can be met', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    for (const [other, { condition }] of Object.entries(service.depends_on)) {
      const awaited = compose.services[other];
      expect(awaited, `${name} waits for ${other}`).toBeDefined();
      if (condition === 'service_healthy') expect(awaited?.healthcheck, other).toBeDefined();
      if (condition === 'service_completed_successfully')
        expect(awaited?.restart, other).toMatch(/^on-failure/);
    }
    for (const network of service.networks) expect(compose.networks).toHaveProperty(network);
    for (const { source } of service.configs ?? []) expect(compose.configs).toHaveProperty(source);
    for (const volume of service.volumes ?? [])
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
  }
});

test("the cluster's Temporal has the same dynamic configuration as the embedded one", async () => {
  const cluster = z
    .record(z.string(), z.tuple([z.strictObject({ value: z.union([z.number(), z.boolean(), z.string()]) })]))
    .parse(parse(compose.configs.temporal?.content ?? ''));
  const dataDir = await mkdtemp(join(tmpdir(), 'winnow-compose-'));
  try {
    // `echo` in place of the engine writes the arguments that it is started with into its log.
    const plan = planTemporalServer({
      binary: '/bin/echo',
      dataDir,
      namespace: 'default',
      port: 1,
      uiPort: 2,
    });
    await once(await plan.launch(), 'close');
    const started = await readFile(plan.log.path, 'utf8');
    const embedded = [...started.matchAll(/--dynamic-config-value ([\w.]+)=(\S+)/g)];
    expect(embedded.length).toBeGreaterThan(0);
    const values = Object.entries(cluster).map(([key, [{ value }]]) => [key, JSON.stringify(value)]);
    expect(Object.fromEntries(values)).toEqual(
      Object.fromEntries(embedded.map(([, key, value]) => [key, value])),
    );
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('the image gives its processes the settings of the C library that supervised ones get', async () => {
  const instructions = [...(await read('Dockerfile')).matchAll(/^ENV (.+)$/gm)].map(
    ([, variables = '']) => variables,
  );
  const settings = [...instructions.join(' ').matchAll(/\b(\w*MALLOC_\w+)=(\S+)/g)];
  expect(Object.fromEntries(settings.map(([, name, value]) => [name, value]))).toEqual(MEMORY_SETTINGS);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Compose fills these in, not JavaScript.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { interpolate, readCompose, serviceOf } from '../../test/support/service/compose.ts';
import {
  checkPlaces,
  environmentOf,
  type PlacedFile,
  place,
  placesOf,
  withoutSurroundings,
} from './places.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const file = await readCompose();
const placed: PlacedFile = {
  file,
  env: { POSTGRES_PASSWORD: 'p1', S3_SECRET_KEY: 's1', WINNOW_SECRET_KEY: 'k1', WINNOW_API_KEY: 'fc-1' },
  places: placesOf({
    ports: { postgres: 11_001, temporal: 11_002, blobs: 11_003 },
    dynamicConfig: '/data/winnow.yaml',
    schema: '/cache/schema',
  }),
};

test.each([
  ['${A:-x} ${B:-x} ${C:-x}', 'a x x'],
  ['${A} ${B}', 'a '],
  ['${A:?must be}', 'a'],
  ['$$A $$(date) $${A}', '$A $(date) ${A}'],
])('%s becomes %s', (text, expected) => {
  expect(interpolate(text, { A: 'a', B: '' })).toBe(expected);
});

test('a variable that must be set and is empty is refused with the words of the file', () => {
  expect(() => interpolate('${B:?see above}', { B: '' })).toThrow('docker-compose.yml needs B: see above');
});

test('nothing that the cluster without containers starts is left with an address of a container', () => {
  expect(() => checkPlaces(placed)).not.toThrow();
  for (const name of ['api', 'worker', 'schema', 'namespace']) {
    const { entrypoint = [], command = [] } = serviceOf(file, name);
    const words = [...entrypoint, ...command].map((word) => place(word, placed));
    const all = [...words, ...Object.values(environmentOf(placed, name))].join('\n');
    expect(all, name).not.toMatch(/\b(postgres|temporal|blobs):\d|--ep postgres|\/etc\//);
  }
  expect(environmentOf(placed, 'api')).toMatchObject({
    DATABASE_URL: 'postgres://winnow:p1@127.0.0.1:11001/winnow',
    TEMPORAL_ADDRESS: '127.0.0.1:11002',
    WINNOW_BLOBS: 's3://winnow/blobs?endpoint=http://localhost:11003&region=garage',
  });
  expect(serviceOf(file, 'schema').command?.map((word) => place(word, placed))[0]).toContain(
    'temporal-sql-tool --plugin postgres12 --ep 127.0.0.1 -p 11001 -u winnow --db $database',
  );
});

test('what the file does not say (any more) is not replaced in silence', () => {
  const moved = { ...placed, places: { 'mysql:3306': '127.0.0.1:1' } };
  expect(() => checkPlaces(moved)).toThrow('docker-compose.yml does not say mysql:3306');
  expect(() => environmentOf(placed, 'api', { GONE: '1' })).toThrow('docker-compose.yml does not set GONE');
  expect(() => serviceOf(file, 'gone')).toThrow('docker-compose.yml has no service gone');
});

test('a part gets what the file gives it and nothing else of the environment around', () => {
  process.env.WINNOW_LEAK = 'here';
  try {
    const settings = withoutSurroundings({ HOST: '127.0.0.1' });
    expect(settings.HOST).toBe('127.0.0.1');
    expect(settings).toHaveProperty('WINNOW_LEAK', undefined);
    expect(settings).not.toHaveProperty('PATH');
  } finally {
    delete process.env.WINNOW_LEAK;
  }
});

test("Temporal's server is built in the version of the file", async () => {
  const goMod = await readFile(join(ROOT, 'bench', 'cluster', 'temporal', 'go.mod'), 'utf8');
  const version = /go\.temporal\.io\/server v(\S+)/.exec(goMod)?.[1];
  for (const name of ['temporal', 'schema', 'namespace']) {
    expect(/:([^@]+)@/.exec(serviceOf(file, name).image)?.[1], name).toBe(version);
  }
});

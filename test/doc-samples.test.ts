import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { FILE_ENDPOINTS, type FileEndpoint } from '../src/api/http/file-endpoints.ts';
import { ROUTES } from '../src/api/routes.ts';
import { V1_ROUTES } from '../src/api/v1/routes.ts';
import { ERRORS, isErrorCode } from '../src/errors.ts';
import { parseJson } from '../src/json/json-object.ts';
import { formatRequest } from '../src/schemas/formats.ts';
import { retuneBody } from '../src/schemas/page-job.ts';
import { parseOptions } from '../src/schemas/parse.ts';
import { scrapeBody } from '../src/schemas/scrape.ts';
import { executeBody, interactBody, sessionBody } from '../src/schemas/session.ts';
import { samplesOf } from './support/docs/samples.ts';

/** Endpoints, statuses, requests and options on the pages of the documentation are those of the API. */

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = ['README.md', 'docs/operations.md', ...globSync('docs/guides/*.md', { cwd: ROOT })];
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

/** A path with its parameters under one name. */
const shapeOf = (url: string) => url.replace(/:\w+|\{\w+\}/g, '{}').replace(/[/.]$/, '');
const ENDPOINTS = new Set([
  ...[...ROUTES, ...V1_ROUTES].map(({ method, path: route }) => `${method.toUpperCase()} ${shapeOf(route)}`),
  ...Object.values<FileEndpoint>(FILE_ENDPOINTS).flatMap(({ method, paths }) =>
    paths.map((each) => `${method.toUpperCase()} ${shapeOf(each)}`),
  ),
  ...['/health', '/ready', '/metrics', '/docs'].map((url) => `GET ${url}`),
]);

/** The bodies that a piece of JSON in the text can be, or be a part of. */
const BODIES: z.ZodType[] = [formatRequest, interactBody, executeBody, sessionBody, retuneBody, parseOptions];
const isAccepted = (sample: unknown) =>
  BODIES.some((schema) => schema.safeParse(sample).success) ||
  scrapeBody.safeParse({ url: 'https://example.com', ...(sample as object) }).success ||
  scrapeBody.safeParse({ url: 'https://example.com', parsers: [sample] }).success;

/** The JSON of a sample; dots stand for what a reader adds. */
const jsonOf = (sample: string) => {
  const whole = sample
    .replaceAll(/\{…\}/g, '{"type":"object","properties":{"price":{}}}')
    .replaceAll(/: …/g, ': 1');
  const named = /^"?(\w+)"?: ([[{].*)$/.exec(whole);
  return parseJson(named ? `{"${named[1]}": ${named[2]}}` : whole);
};

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  it('names only endpoints that there are', () => {
    const named = [...text.matchAll(/\b(GET|POST|PUT|DELETE) (\/[\w/{}-]+)/g)].map(
      ([, method, url = '']) => `${method} ${shapeOf(url)}`,
    );
    expect(named.filter((endpoint) => !ENDPOINTS.has(endpoint))).toEqual([]);
  });

  it('names each error code with its status', () => {
    const named = [...text.matchAll(/\b([1-5]\d\d)(?: and|:|,)? `([A-Za-z_]+)`/g)].flatMap(
      ([, status, code = '']) => (isErrorCode(code) ? [{ code, status: Number(status) }] : []),
    );
    expect(named).toEqual(named.map(({ code }) => ({ code, status: ERRORS[code].status })));
  });

  it('has only requests that the API accepts', () => {
    const samples = [...text.matchAll(/`((?:"?\w+"?: )?[[{]\s*"[^`]*[\]}])`/g)].map(
      ([, sample = '']) => sample,
    );
    expect(samples.filter((sample) => !isAccepted(jsonOf(sample)))).toEqual([]);
  });

  it('has only requests of curl that the API accepts', () => {
    for (const [command] of text.matchAll(/^curl (?:.*\\\n)*.*$/gm)) {
      const [, url = ''] = /https?:\/\/[^/\s]+(\/\S*)/.exec(command) ?? [];
      const route = ROUTES.find((each) => each.method === 'post' && each.path === url);
      const [, body] = / -d '([^']*)'/.exec(command) ?? [];
      const [, options] = / -F 'options=([^']*)'/.exec(command) ?? [];
      if (body === undefined && options === undefined) continue;
      const schema = options === undefined ? route?.body : route?.fileOptions;
      expect(schema?.safeParse(parseJson(options ?? body ?? '')).success, command).toBe(true);
    }
  });
});

/** Guides that tell of other programs, or of the service as its operator has it. */
const WITHOUT_SAMPLES = ['clients', 'connect', 'mcp', 'older-clients', 'self-hosting'];

it('each guide to an endpoint shows a request to it by curl, JavaScript and Python', () => {
  const guides = globSync('docs/guides/*.md', { cwd: ROOT }).filter(
    (page) => !WITHOUT_SAMPLES.includes(path.basename(page, '.md')),
  );
  const languages = guides.map((page) => [page, samplesOf(read(page)).map(({ language }) => language)]);
  expect(languages).toEqual(guides.map((page) => [page, ['sh', 'js', 'python']]));
});

it('the pages have samples of each kind', () => {
  const all = PAGES.map(read).join('\n');
  expect(all).toMatch(/^curl /m);
  expect(all).toMatch(/408 and `SCRAPE_TIMEOUT`/);
  expect(all).toMatch(/`\{"type": "screenshot"/);
});

import { describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { htmlFile, multipart } from '../support/api/parse.ts';

/**
 * One request may not occupy the API for others: bodies with more of anything than a request can need are refused
 * before each element is looked at, and no error is larger than a person reads.
 */

const MB = 1024 * 1024;
const URL = '"url":"http://127.0.0.1/"';
const repeated = (value: string, count: number) => Array(count).fill(value).join(',');
const members = (count: number) => Array.from({ length: count }, (_, index) => `"key${index}":1`).join(',');

/** Sends a body of JSON, and requires that the error is typed and small. */
async function refusalOf(path: string, raw: string) {
  const { status, body } = await call(path, { raw });
  expect([status, body.success, body.code]).toEqual([400, false, 'BAD_REQUEST']);
  expect(JSON.stringify(body).length).toBeLessThan(16_000);
  expect(body.error.length).toBeLessThan(1_500);
  if (body.details) expect(body.details.length).toBeLessThanOrEqual(20);
  return body;
}

describe('a body', () => {
  it.each([
    ['a list of numbers', `{${URL},"formats":[${repeated('1', MB)}]}`, 'more than 250000 values'],
    ['empty lists', `{${URL},"formats":[${repeated('[]', 200_000)}]}`, 'more than 250000 values'],
    ['members', `{${URL},${members(60_000)}}`, 'more than 50000 members'],
    [
      'members of many objects',
      `{${URL},"actions":[${repeated('{"a":1,"b":2}', 30_000)}]}`,
      'more than 50000 members',
    ],
    ['nested lists', `{${URL},"headers":${'['.repeat(200_000)}`, 'more than 500 levels deep'],
    ['nested objects', `{${URL},"headers":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`, '500 levels deep'],
  ])('with too many of %s is refused unread', async (_what, raw, message) => {
    expect((await refusalOf('/v2/scrape', raw)).error).toContain(message);
  });

  it('may have a batch of 200,000 URLs', async () => {
    const body = await refusalOf('/v2/batch/scrape', `{"urls":[${repeated('"ftp://127.0.0.1/"', 200_000)}]}`);
    expect(body.error).toContain('No valid URLs');
    expect(body.details.at(-1).message).toBe('199981 more are not listed.');
  });

  it('may have no other charset than UTF-8', async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-16le' };
    const { status, body } = await call('/v2/scrape', { raw: '{}', headers });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error).toContain('Send JSON in UTF-8');
  });

  it('that is multipart has the same bounds for its options, and few fields', async () => {
    const { content, name } = htmlFile('A');
    const file = [`form-data; name="file"; filename="${name}"`, String(content)] as const;
    const send = async (fields: (readonly [string, string])[]) =>
      (await call('/v2/parse', multipart([...fields, file]))).body.error;
    const options = (json: string) => [['form-data; name="options"', json] as const];
    expect(await send(options(`{"formats":[${repeated('1', MB)}]}`))).toContain('more than 250000 values');
    expect(await send(options('['.repeat(1_000)))).toContain('more than 500 levels deep');
    const fields = Array.from({ length: 5_000 }, (_, i) => [`form-data; name="f${i}"`, 'x'] as const);
    expect(await send(fields)).toMatch(/too many fields/i);
  });
});

describe('an error', () => {
  it.each([
    ['/v2/scrape', 'formats', 50],
    ['/v2/scrape', 'actions', 50],
    ['/v2/scrape', 'parsers', 20],
    ['/v2/scrape', 'includeTags', 1000],
    ['/v2/crawl', 'includePaths', 1000],
    ['/v2/agent', 'urls', 50],
    ['/v2/search', 'includeDomains', 100],
  ])('says how long a list of %s may be: %s', async (path, field, most) => {
    const { error, details } = await refusalOf(path, `{"${field}":[${repeated('1', 100_000)}]}`);
    expect(error).toContain(`${field} must have at most ${most} entries, but has 100000`);
    expect(details.filter((each: { path: string[] }) => each.path[0] === field)).toHaveLength(1);
  });

  it('lists the first of many faults, and says how many more there are', async () => {
    const { details } = await refusalOf('/v2/scrape', `{${URL},"formats":[${repeated('"x"', 50)}]}`);
    expect(details).toHaveLength(20);
    expect(details[0]).toMatchObject({ path: ['formats', 0, 'type'] });
    expect(details[19]).toEqual({ code: 'custom', path: [], message: '31 more are not listed.' });
  });

  it('lists all faults if there are at most 20', async () => {
    const { details } = await refusalOf('/v2/scrape', `{${URL},"formats":[${repeated('"x"', 20)}]}`);
    expect(details.map(({ path }: { path: unknown[] }) => path[1])).toEqual([...Array(20).keys()]);
  });

  it('names the first of many unknown keys', async () => {
    const { error, details } = await refusalOf('/v2/scrape', `{${URL},${members(40_000)}}`);
    expect(error).toMatch(/^Unrecognized key in body -- key0, key1, /);
    expect(details[0].keys).toHaveLength(20);
  });

  const long = 'x'.repeat(5 * MB);
  it.each([
    ['/v2/scrape', `{"url":"${long}://a"}`],
    ['/v2/scrape', `{"url":"http://[${long}"}`],
    ['/v2/scrape', `{${URL},"${long}":1}`],
    ['/v2/scrape', `{${URL},"formats":["${long.slice(0, 400_000)}"]}`],
    ['/v2/scrape', `{${URL},"formats":[{"type":"json","schema":{"$ref":"#/${long.slice(0, 200_000)}"}}]}`],
    ['/v2/scrape', `{${URL},"includeTags":["${long}["]}`],
    ['/v2/scrape', `{${URL},"includeTags":["${long.slice(0, 90_000)}["]}`],
    ['/v2/scrape', `{${URL},"headers":{"${long.slice(0, 10_000)} ":"a"}}`],
    ['/v2/scrape', `{${URL},"headers":{"${long.slice(0, 10_000)}":1}}`],
    ['/v2/scrape', `{${URL},"location":{"languages":["${long.slice(0, 900)}"]}}`],
    ['/v2/scrape', `{${URL},"location":{"country":"${long}"}}`],
    ['/v2/scrape', `{${URL},"proxy":"${long}"}`],
    ['/v2/scrape', `{${URL},"origin":"${long}\\u0000"}`],
    ['/v2/crawl', `{${URL},"includePaths":["(${long.slice(0, 90_000)}"]}`],
    ['/v2/crawl', `{${URL},"webhook":{"url":"http://a.example","events":["${long}"]}}`],
    ['/v2/batch/scrape', `{"ignoreInvalidURLs":false,"urls":["http://[${long}"]}`],
    ['/v2/parse', `{"uploadRef":"${long}"}`],
    ['/v2/parse/upload-url', `{"filename":"${long}"}`],
    ['/v2/search', `{"query":"a","includeDomains":["${long}"]}`],
    ['/v2/support/ask', `{"question":"a","jobId":"${long}"}`],
  ])('repeats little of what is sent to %s: %#', async (path, raw) => {
    const { status, body } = await call(path, { raw });
    expect([status, body.success]).toEqual([body.code === 'NOT_FOUND' ? 404 : 400, false]);
    expect(body.error).not.toContain('x'.repeat(250));
    expect(JSON.stringify(body.details ?? [])).not.toContain('x'.repeat(250));
  });

  it('repeats little of a path or of query parameters', async () => {
    const long = 'x'.repeat(10_000);
    const errors = [
      await call(`/v2/${long}`),
      await call(`/docs/guides/${long}`),
      await call(`/v2/browser?status=${long}`),
      await call(`/v2/browser?${Array.from({ length: 1_500 }, (_, i) => `p${i}=`).join('&')}`),
      await call(`/v2/crawl/${long}`),
    ];
    for (const { status, body } of errors) {
      expect([400, 404]).toContain(status);
      expect(body.success).toBe(false);
      expect(JSON.stringify(body).length).toBeLessThan(3_000);
    }
  });
});

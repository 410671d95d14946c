import { describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

const db = useDatabase();

/** What a request was answered; `raw` is sent as it is. */
const errorOf = async (...[path, init]: Parameters<typeof call>): Promise<string> =>
  (await call(path, init)).body.error;

describe('a body that is no JSON', () => {
  it.each([
    ['{"url": hello}', /Unexpected token 'h' at line 1, column 9/],
    ['{\n  "url": "http://a.test",\n}', /at line 3, column 1/],
    ['{"url": "http://a.test"', /at line 1, column 24/],
    ['{"a": 1}}', /at line 1, column 9/],
    ['{"url": "http://a.test",}', /Remove the comma before it/],
    [
      '{"url": "http://a.test", // a page\n"mobile": true,}',
      /no comments: remove it\. Remove the comma before it/,
    ],
    ["{url: 'http://a.test', mobile: True}", /"url"\. .*double quotes: write .*"mobile"\. .*write true/],
    ["{'url': 'http://a.test'}", /write " in place of '/],
    ['{url: "http://a.test"}', /in double quotes: "url"/],
    ['{url: http://a.test}', /Names and texts are in double quotes: "url": "http:\/\/a\.test"/],
    ['{"url": "http://a.test", "mobile": True}', /JSON has no True: write true/],
    ['{"url": "http://a.test" "mobile": true}', /A comma is missing before it/],
    [' ', /it is empty/],
    ['https://a.test/b', /it is a URL by itself\. Write \{"url":"https:\/\/a\.test\/b"\}/],
    ['@body.json', /curl reads the file for -d @body\.json/],
    ['[object Object]', /send JSON\.stringify\(body\)/],
    [`b'{"url": "http://a.test"}'`, /Send json\.dumps\(body\)/],
    [
      '{"url": "http://a.test"}\n{"url": "http://b.test"}',
      /a second value at line 2\. Send each in a request/,
    ],
    ['{"url": "http://a.test", "formats": ["html"}', /A \] is missing before it/],
    [`'{"url": "http://a.test"}'`, /command line of Windows/],
    ['{\\"url\\": \\"http://a.test\\"}', /backslash before each quote/],
    [
      'url=http%3A%2F%2Fa.test&timeout=2000',
      /it is a form or YAML\. Write it as JSON: \{"url":"http:\/\/a\.test","timeout":2000\}/,
    ],
    ['url: http://a.test\nmobile: true', /Write it as JSON: \{"url":"http:\/\/a\.test","mobile":true\}/],
    ['<p>http://a.test</p>', /it is HTML or XML\. A file goes to POST \/v2\/parse/],
    [
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.html"\r\n\r\n<p>x\r\n--x--\r\n',
      /it is multipart\/form-data, which only POST \/v2\/parse takes, .* Leave that header out/,
    ],
    [
      '--x\r\nContent-Disposition: attachment; name="file"; filename="a.html"\r\n\r\n<p>x\r\n--x--\r\n',
      /it is multipart\/form-data, which only POST \/v2\/parse takes, .* Leave that header out/,
    ],
  ])('%j is told with line and column', async (raw, message) => {
    const error = await errorOf('/v2/scrape', { raw });
    expect(error).toMatch(/^Bad request, malformed JSON: /);
    expect(error).toMatch(message);
  });

  it.each([
    ['application/x-www-form-urlencoded', 'url=http://a.test'],
    ['application/xml', '<url>http://a.test</url>'],
    ['application/pdf', '%PDF-1.7'],
  ])('is told that it is %s', async (type, raw) => {
    const error = await errorOf('/v2/scrape', { raw, headers: { 'Content-Type': type } });
    expect(error).toContain(
      `the Content-Type is ${type}. Send a JSON object with Content-Type: application/json`,
    );
  });

  it('and is a file for the parser is told how files are sent', async () => {
    const headers = { 'Content-Type': 'text/html' };
    expect(await errorOf('/v2/parse', { raw: '<p>x', headers })).toMatch(
      /the Content-Type is text\/html\. Send the file as multipart\/form-data in the part `file`/,
    );
  });

  it('and is a form whose type says JSON is told to leave the type out, and of no JSON', async () => {
    const raw =
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.html"\r\n\r\n<p>x\r\n--x--\r\n';
    const headers = { 'Content-Type': 'application/json' };
    expect(await errorOf('/v2/parse', { raw, headers })).toMatch(
      /Leave that header out: .* boundary that it uses\.$/,
    );
  });

  it('and has the file in another part is told which', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const raw =
      '--x\r\nContent-Disposition: form-data; name="document"; filename="a.html"\r\n\r\n<p>x\r\n--x--\r\n';
    expect(await errorOf('/v2/parse', { raw, headers })).toMatch(
      /The file came in the part "document"\. Name the part `file`/,
    );
  });

  it('and has the path of the file in place of the file is told how curl sends it', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const raw = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n/tmp/a.html\r\n--x--\r\n';
    expect(await errorOf('/v2/parse', { raw, headers })).toMatch(
      /`file` came as text, .* curl does so with an @ before the path: -F file=@report\.pdf\.$/,
    );
  });

  it('and is a form without a boundary is told who sets it', async () => {
    const headers = { 'Content-Type': 'multipart/form-data' };
    expect(await errorOf('/v2/parse', { raw: 'x', headers })).toMatch(
      /without a boundary.* Leave the header out/,
    );
  });
});

describe('a URL that is none', () => {
  it.each([
    ['http://h.test/a b', /white space; write a blank as %20/],
    ['best tea shops', /words, and no URL\. .*POST \/v2\/search finds pages by words/],
    ['https://h .test/a', /Its host has white space; write it without/],
    ['http://h.test:99999/', /port is 99999; ports end at 65535/],
    ['', /It is empty/],
    ['"http://h.test"', /Leave out the quotes/],
    ['/about', /has no host; write it whole/],
    ['report.pdf', /the name of a file; send a file to POST \/v2\/parse/],
    ['http://http://h.test', /two schemes/],
    ['https//h.test', /Write :\/\/ after http/],
    ['[Title](https://h.test/a)', /a link of markdown\. Write https:\/\/h\.test\/a/],
    ['https://h.test, https://i.test', /several URLs\. Send one/],
  ])('%j is refused with its fault, before it costs anything', async (url, message) => {
    const { status, body } = await call('/v2/scrape', { body: { url } });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^Invalid URL: /);
    expect(body.error).toMatch(message);
  });
});

describe('a monitor that is asked for as other services have it', () => {
  const rest = { name: 'a', schedule: { cron: '0 * * * *' }, targets: [] };
  it.each([
    [{}, /such as \{"schedule":\{"text":"daily at 9:00"\}\}\. targets is missing/],
    [{}, /such as \{"targets":\[\{"type":"scrape","urls":\["https:\/\/example\.com"\]\}\]\}/],
    [{ ...rest, url: 'https://a.test' }, /Use targets: \[\{"type":"scrape","urls":\["https:\/\/a\.test"\]/],
    [{ ...rest, interval: 5 }, /Use schedule: \{"text":"every 5 minutes"\}/],
    [{ ...rest, schedule: 'often' }, /Write \{"text":"daily at 9:00"\}/],
    [{ ...rest, schedule: 'every 30 minutes' }, /Write \{"text":"every 30 minutes"\}/],
  ])('by %j is told what to write', async (body, message) => {
    expect(await errorOf('/v2/monitor', { body })).toMatch(message);
  });
});

describe('a key', () => {
  it.each([
    [undefined, /Authorization: Bearer <API key>\.$/],
    ['fc-0123', /lacks the word Bearer/],
    ['Basic Zm9v', /begins with Basic/],
    ['Bearer', /has no key/],
    ['Bearer "fc-0123"', /in quotes\. Leave the quotes out/],
    ['Bearer %API_KEY%', /a placeholder in place of the key/],
    ['Bearer fc-0123', /unknown or revoked/],
    ['Bearer fc-0123,', /A character behind the key/],
    ['Bearer fc-YOUR_API_KEY', /the example of a key/],
    ['Bearer Bearer fc-0123', /Bearer once/],
  ])('in the header %j is told how the header must be', async (authorization, message) => {
    const headers: Record<string, string> = authorization ? { Authorization: authorization } : {};
    const error = await errorOf('/v2/scrape', { key: null, body: { url: 'http://a.test' }, headers });
    expect(error).toMatch(/^Unauthorized: (Token missing|Invalid token)\. /);
    expect(error).toMatch(message);
  });
});

const SOME_ID = '0195f9d4-2b1c-7d3a-9a51-0c5f0f0f0f0f';

describe('a path', () => {
  it.each([
    ['/v1/parse', 'Did you mean /v2/parse?'],
    ['/scrape', 'Did you mean /v2/scrape?'],
    ['/v2/crawll', 'Did you mean /v2/crawl?'],
    ['/v2/batch/scape', 'Did you mean /v2/batch/scrape?'],
    ['/v2/webhooks', 'send webhook: {"url": …} in the body of POST /v2/crawl'],
    [`/v2/crawl/${SOME_ID}/cancel`, `Use DELETE /v2/crawl/${SOME_ID}.`],
    [`/v2/crawl/status/${SOME_ID}`, `Use GET /v2/crawl/${SOME_ID}.`],
    ['/v2/browser/create', 'Did you mean POST /v2/browser?'],
    ['/v2/batch', 'Did you mean /v2/batch/scrape?'],
    ['/v2/batchscrape', 'Did you mean /v2/batch/scrape?'],
    [`/v2/crawl/${SOME_ID}/documents`, `Use GET /v2/crawl/${SOME_ID}.`],
    ['/mcp', 'has the endpoint POST /v2/mcp.'],
    [`/v2/monitor/${SOME_ID}/pause`, `Use PATCH /v2/monitor/${SOME_ID} with {"status": "paused"}.`],
    [`/v2/monitors/${SOME_ID}/resume`, `Use PATCH /v2/monitor/${SOME_ID} with {"status": "active"}.`],
    [`/v2/monitor/${SOME_ID}/trigger`, `Use POST /v2/monitor/${SOME_ID}/run.`],
    ['/v2/team/usage', 'Use GET /v2/team/credit-usage'],
    [`/v2/crawl/${SOME_ID}/download`, `Use GET /v2/crawl/${SOME_ID}/export.`],
    ['/api/v2/crawl', 'Did you mean /v2/crawl?'],
    [`/v2/crawls/${SOME_ID}/status`, `Use GET /v2/crawl/${SOME_ID}.`],
    [`/v2/monitor/${SOME_ID}/runs`, `Use GET /v2/monitor/${SOME_ID}/checks.`],
    [`/v2/browser/${SOME_ID}/connect`, `GET /v2/browser/${SOME_ID} has the cdpUrl`],
    [`/v2/browser/${SOME_ID}/recording`, `Use GET /v2/browser/${SOME_ID}/replay.`],
    ['/v2/scrape/batch', 'Did you mean POST /v2/batch/scrape?'],
    ['/v2/files', 'Send a file to POST /v2/parse'],
    ['/v2/webhook/test', 'A webhook belongs to a job'],
    [`/v2/sessions/${SOME_ID}/extend`, `Use POST /v2/browser/${SOME_ID}/extend.`],
    [
      `/v2/browser/${SOME_ID}/screenshot`,
      `/v2/browser/${SOME_ID}/execute with {"code":"(await page.screenshot`,
    ],
    [`/v2/jobs/${SOME_ID}`, `read at the path of its kind: GET /v2/scrape/${SOME_ID}`],
    ['/https://a.test/b', 'use POST /v2/scrape with {"url":"https://a.test/b"}.'],
    ['/v2/crawl/https%3A%2F%2Fa.test', 'use POST /v2/crawl with {"url":"https://a.test"}.'],
    ['/admin/team', 'Did you mean /admin/teams?'],
    ['/v2/admin/nothing', 'Known are /admin/'],
  ])('%s is told which one is meant', async (path, message) => {
    expect(await errorOf(path, { body: {} })).toContain(message);
  });

  it('that is like another one only by its length is not taken for it', async () => {
    expect(await errorOf(`/v2/monitor/${SOME_ID}/mask`, { body: {} })).toContain('/ask?');
    expect(await errorOf(`/v2/monitor/${SOME_ID}/frob`, { body: {} })).not.toContain('Did you mean');
  });

  it('that lacks a part in the middle is told the whole one', async () => {
    expect(await errorOf(`/v2/batch/${SOME_ID}`)).toContain(`Use GET /v2/batch/scrape/${SOME_ID}.`);
  });

  it('that lacks its first part is told the whole one', async () => {
    expect(await errorOf('/v2/credit-usage')).toContain('Use GET /v2/team/credit-usage.');
  });

  it('without the id that a method needs is told where it goes', async () => {
    expect(await errorOf('/v2/browser', { method: 'DELETE' })).toContain('use DELETE /v2/browser/{id}.');
  });

  it('to make a key says who makes it', async () => {
    expect(await errorOf('/v2/team/keys', { body: { name: 'x' } })).toContain('The operator makes');
  });

  it('with the id of another kind of job names the path of that job', async () => {
    const { body } = await call('/v2/batch/scrape', { body: { urls: ['http://127.0.0.1:1/'] } });
    const { id } = body;
    const requests: [path: string, init?: Parameters<typeof call>[1]][] = [
      ...['/v2/crawl', '/v2/agent', '/v2/extract', '/v2/scrape', '/v2/browser'].map((path): [string] => [
        `${path}/${id}`,
      ]),
      [`/v2/crawl/${id}`, { method: 'DELETE' }],
      [`/v2/browser/${id}`, { method: 'DELETE' }],
      [`/v2/interact/${id}/execute`, { body: { code: '1' } }],
    ];
    for (const [path, init] of requests) {
      const answer = await call(path, init);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body.error).toContain(`The id is that of a batch: use /v2/batch/scrape/${id}.`);
    }
    for (const below of ['errors', 'pages', 'hosts', 'export'])
      expect(await errorOf(`/v2/crawl/${id}/${below}`)).toContain(`use /v2/batch/scrape/${id}/${below}.`);
    for (const below of ['pause', 'resume', 'retune', 'retry']) {
      const options = below === 'retune' ? { delay: 1 } : {};
      expect(await errorOf(`/v2/crawl/${id}/${below}`, { body: options })).toContain(
        `use /v2/batch/scrape/${id}/${below}.`,
      );
    }
    // A batch has no session of its own, but each of its pages may have one.
    expect(await errorOf(`/v2/scrape/${id}/interact`, { body: { code: '1' } })).toContain(
      'The id is that of a batch: use metadata.scrapeId of one of its pages in the path.',
    );
  });

  it('with an id of nothing, or of another team, says no more than that', async () => {
    const { key } = await makeTeam(db);
    const { body } = await call('/v2/batch/scrape', { body: { urls: ['http://127.0.0.1:1/'] } });
    for (const id of [body.id, crypto.randomUUID()])
      for (const path of ['/v2/scrape', '/v2/browser'])
        expect(await errorOf(`${path}/${id}`, { key })).not.toContain('The id is that');
  });

  it('with an id that is none repeats it', async () => {
    expect(await errorOf('/v2/crawl/nonsense')).toMatch(
      /^Invalid job ID format: "nonsense" is not a UUID\. /,
    );
    const code = { body: { code: '1' } };
    expect(await errorOf('/v2/browser/nonsense/execute', code)).toContain('"nonsense"');
    expect(await errorOf('/v2/scrape/nonsense/interact', code)).toContain('"nonsense"');
    expect(await errorOf('/v2/webhooks/deliveries?jobId=nonsense')).toMatch(/jobId.*nonsense/);
  });
});

it('an option in the query of a POST is told that it belongs in the body', async () => {
  const error = await errorOf('/v2/scrape?formats=html', { body: { url: 'http://127.0.0.1:1/' } });
  expect(error).toMatch(/key in query -- formats\..* members of its JSON body\.$/);
});

it('a crawl that a team cannot pay is told the limit that it can', async () => {
  const { key } = await makeTeam(db, { credits: 7 });
  const error = await errorOf('/v2/crawl', { key, body: { url: 'http://a.test' } });
  expect(error).toContain('Set limit to at most 7');
});

it('a schema that lists names and types is told how a JSON Schema is written', async () => {
  const formats = [{ type: 'json', schema: { price: 'number' } }];
  expect(await errorOf('/v2/scrape', { body: { url: 'http://a.test', formats } })).toContain(
    '{"type":"object","properties":{"price":{"type":"number"}}}',
  );
});

it('an empty list of formats is answered with a warning, unless actions are the purpose', async () => {
  await using site = await startPages({ '/': '<h1>Title</h1><p>Text.</p>' });
  const url = `${site.url}/`;
  const { body } = await call('/v2/scrape', { body: { url, formats: [] } });
  expect(body.data.markdown).toBeUndefined();
  expect(body.data.warning).toMatch(/^formats is an empty list, .* Leave formats out/);
  const actions = [{ type: 'wait', milliseconds: 100 }];
  const acted = await call('/v2/scrape', { body: { url, formats: [], actions } });
  expect(acted.body.data.warning).toBeUndefined();
});

it('members of a location without an effect, and waits of a few milliseconds, are answered with a warning', async () => {
  await using site = await startPages({ '/': '<h1>Title</h1><p>Text.</p>' });
  const url = `${site.url}/`;
  const warningOf = async (options: object) =>
    (await call('/v2/scrape', { body: { url, ...options } })).body.data.warning;
  expect(await warningOf({ location: { country: 'DE', city: 'Berlin', timezone: 'UTC' } })).toBe(
    'location ignores city, timezone: it has country, which sets the time zone too, and languages.',
  );
  expect(await warningOf({ location: { country: 'DE' }, waitFor: 100 })).toBeUndefined();
  expect(await warningOf({ waitFor: 5 })).toBe('waitFor is 5 ms. If you mean 5 seconds, write 5000.');
  expect(await warningOf({ actions: [{ type: 'wait', milliseconds: 2 }] })).toBe(
    'milliseconds is 2 ms. If you mean 2 seconds, write 2000.',
  );
  const map = await call('/v2/map', { body: { url, location: { city: 'Berlin' } } });
  expect(map.body.warning).toContain('location ignores city');
});

import { tmpdir } from 'node:os';
import path from 'node:path';
import { Firecrawl } from 'firecrawl';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { priceOfSession } from '../../src/credits.ts';
import { runCommand } from '../../src/run/embedded/command.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { call } from '../support/api/call.ts';
import { connectRaw } from '../support/browser/protocol.ts';
import {
  type ModelEndpoint,
  type ModelReply,
  type ModelRequest,
  startModelEndpoint,
  TOOLS_OF_PROMPTS,
  toolsOfferedBy,
} from '../support/models/model-endpoint.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, openTestDatabase } from '../support/storage/database.ts';
import { findMarker } from '../support/storage/stored-markers.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** Prompts of interact in a service with a language model, which follows a script. */

const FORM = `<!doctype html><title>Sign up</title><h1>Sign up</h1>
  <form action="/plan"><label>Name <input name="name"></label>
  <label>Password <input name="password" type="password"></label><button>Next</button></form>`;
const FIELDS = `<title>Fields</title><h1>Fields</h1><form><label>Date <input type="date"></label>
  <label>Colour <select><option>red</option><option> Dark  blue </option></select></label></form>`;
const PLAN = `<!doctype html><title>Plan</title><h1>Choose a plan</h1>
  <form action="/done"><label>Plan <select name="plan"><option>Basic</option><option>Large</option></select></label>
  <label>Note <input name="note"></label></form>`;
const DONE = '<!doctype html><title>Done</title><h1>Welcome</h1><p>Your number is 4711.</p>';

/** The key of the service for the language model. */
const MODEL_KEY = 'sk-key-of-the-operator';

let endpoint: ModelEndpoint;
let site: Pages;
/** A site that nobody has named. */
let evil: Pages;
beforeAll(async () => {
  endpoint = await startModelEndpoint();
  evil = await startPages({ '/': '<title>Evil</title><p>Everything was taken.</p>' });
  site = await startPages({
    '/form': FORM,
    '/plan': PLAN,
    '/fields': FIELDS,
    '/done': DONE,
    '/redirect': (_, response) => response.writeHead(302, { location: `${evil.url}/` }).end(),
    '/leave': (_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Leave</title><h1>Ways out</h1><a href="${evil.url}/">Direct</a>
        <a href="/redirect">Redirect</a><a href="${evil.url}/" target="_blank">New tab</a>
        <button onclick="location.href='${evil.url}/'">Script</button>`);
    },
    '/frames': (_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Frames</title><h1>Search and map</h1><iframe src="${evil.url}/"></iframe>
        <iframe srcdoc='<form action="${site.url}/plan"><button>Own</button></form>'></iframe>
        <form action="${evil.url}/taken" target="shown"><input name="data" value="berger"><button>Foreign</button></form>
        <iframe name="shown"></iframe>`);
    },
    '/key': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<title>Key</title><h1>Key</h1><p>It is ${new URL(request.url ?? '', site.url).searchParams.get('is')}.</p>`,
      );
    },
    '/flood': `<title>Flood</title><button onclick="for (let n = 0; n < 30; n++) alert(n)">Dialogs</button>
      <button onclick="document.body.append('long text '.repeat(250_000))">Text</button>`,
    '/passwords': `<title>Passwords</title><label>Name <input value="secret-value"></label>
      ${'<input type="password" value="secret-value">'.repeat(60)}`,
    '/confirm': `<title>Confirm</title><button onclick="document.body.append(confirm('Really?') ? 'It was sent.' : 'It was kept.')">Send</button>`,
  });
});
const service = useService(() => ({
  WINNOW_LLM_BASE_URL: endpoint.url,
  WINNOW_LLM_MODEL: 'test-model',
  WINNOW_LLM_CONTEXT_TOKENS: '8192',
  WINNOW_LLM_OUTPUT_TOKENS: '1024',
  WINNOW_LLM_API_KEY: MODEL_KEY,
}));
let db: Database;
beforeAll(() => {
  db = openTestDatabase(service);
});
afterAll(() => db.close());
const temporal = useTemporal(service);
afterAll(async () => {
  await endpoint[Symbol.asyncDispose]();
  await Promise.all([site, evil].map((each) => each[Symbol.asyncDispose]()));
});
beforeEach(() => {
  endpoint.requests.length = 0;
});

/** The stores of the service in which something was changed since a moment, and that hold a text. */
const placesOf = (text: string, since: Date) =>
  findMarker(text, { db, client: temporal.client, dataDir: service.dataDir }, since);

const access = (key = service.key) => ({ url: service.url, key });

/** Scrapes a page. @returns the id of the scrape */
async function scrape(path: string, key?: string): Promise<string> {
  const { body } = await call('/v2/scrape', { ...access(key), body: { url: site.url + path } });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  return body.data.metadata.scrapeId;
}

/** The scrape of the session that {@link openPage} uses. */
let shared: Promise<string> | undefined;

/**
 * Opens a page in a session that several tests share, because the browser of a session costs a second of
 * processor time. It is for tests that look neither at the bill nor at the end of a session.
 * @returns the id of the scrape which the session continues
 */
async function openPage(path: string): Promise<string> {
  shared ??= scrape('/done');
  const id = await shared;
  const { body } = await interact(id, { code: `await page.goto('${site.url}${path}'); 0` });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true, exitCode: 0 });
  return id;
}
afterAll(async () => {
  if (shared) await stop(await shared);
});

const interact = (id: string, body: object, key?: string) =>
  call(`/v2/scrape/${id}/interact`, { ...access(key), body: { timeout: 300, ...body } });
const stop = (id: string, key?: string) =>
  call(`/v2/scrape/${id}/interact`, { ...access(key), method: 'DELETE' });

type Call = [name: string, input: object];
/** A turn of the model. @param find returns the ref of an element of the newest view */
type Turn = (find: (element: string) => string, request: ModelRequest) => Call[] | ModelReply;

/**
 * Lets the model take these turns; the last one repeats. As long as it does not see an element that it needs,
 * it reads on.
 */
function script(...turns: Turn[]): void {
  let count = 0;
  endpoint.reply((request) => {
    let isMissing = false;
    const find = (element: string) => {
      const ref = refOf(request, element);
      isMissing ||= ref === undefined;
      return ref ?? '';
    };
    const turn = turns[Math.min(count, turns.length - 1)]!(find, request);
    if (isMissing) return { calls: [{ name: 'wait', input: { seconds: 1 } }] };
    count++;
    return Array.isArray(turn) ? { calls: turn.map(([name, input]) => ({ name, input })) } : turn;
  });
}

/** The lines of a response's `stdout` without their numbers, and without those of waiting. */
const stepsOf = ({ stdout }: { stdout: string }) =>
  stdout
    .split('\n')
    .map((line) => line.replace(/^\d+\. /, ''))
    .filter((line) => line && !line.startsWith('wait'));

/** Ends a session. @returns whether it was billed as one with prompts, or as one without */
async function bill(id: string, key?: string): Promise<'prompted' | 'not prompted' | number> {
  const { sessionDurationMs: durationMs, creditsBilled } = (await stop(id, key)).body;
  const priceWith = (prompted: boolean) => priceOfSession({ durationMs, prompted });
  if (creditsBilled === priceWith(true)) return 'prompted';
  return creditsBilled === priceWith(false) ? 'not prompted' : creditsBilled;
}

/** The ref of an element in the newest view of the page; `undefined` if the view has none. */
function refOf({ prompt }: ModelRequest, element: string): string | undefined {
  const view = prompt.slice(prompt.lastIndexOf('URL: '));
  const line = view.split('\n').find((each) => each.includes(element) && each.includes('[ref='));
  return line && /\[ref=(\w+)\]/.exec(line)?.[1];
}

const answer = (data: unknown): Call[] => [['answer', { data }]];

describe('a prompt of interact', () => {
  it('fills in a form over two pages, and returns what the model says, its steps and the page', async () => {
    const id = await scrape('/form');
    script(
      (find) => [
        ['type', { ref: find('textbox "Name"'), text: 'Ada' }],
        ['type', { ref: find('textbox "Password"'), text: 'very-secret' }],
        ['click', { ref: find('button "Next"') }],
      ],
      (find) => [
        ['type', { ref: find('combobox "Plan"'), text: 'Large' }],
        ['type', { ref: find('textbox "Note"'), text: 'now', submit: true }],
        ['wait', { seconds: 15, text: 'Your number' }],
      ],
      () => answer('Ada has signed up: number 4711.'),
    );
    const { status, body } = await interact(id, { prompt: 'Sign up as Ada with the large plan.' });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      output: 'Ada has signed up: number 4711.',
      exitCode: 0,
      killed: false,
      stderr: '',
      truncated: false,
      result: expect.stringContaining('Your number is 4711.'),
      stdout: expect.any(String),
      sessionId: expect.any(String),
      cdpUrl: expect.any(String),
      liveViewUrl: expect.any(String),
      interactiveLiveViewUrl: expect.any(String),
    });
    expect(stepsOf(body)).toEqual([
      ...['type textbox "Name"', 'type textbox "Password"', 'click button "Next"'],
      ...['type combobox "Plan"', 'type textbox "Note"', 'answer result'],
    ]);
    expect(site.requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/form', '/plan', '/done']),
    );
    // Code goes on in the same page, and the session is billed as one with prompts.
    expect((await interact(id, { code: 'await page.title()' })).body.result).toBe('Done');
    expect(await bill(id)).toBe('prompted');
  });

  it('tells the model which texts a field accepts', async () => {
    const id = await openPage('/fields');
    script(
      (find) => [
        ['type', { ref: find('heading "Fields"'), text: 'x' }],
        ['type', { ref: find('combobox "Colour"'), text: 'green' }],
        ['type', { ref: find('textbox "Date"'), text: 'tomorrow' }],
        ['type', { ref: find('textbox "Date"'), text: '2026-02-03' }],
        ['type', { ref: find('combobox "Colour"'), text: 'Dark blue' }],
      ],
      () => answer('filled in'),
    );
    const { body } = await interact(id, { prompt: 'Fill in the fields.' });
    expect(stepsOf(body)).toEqual([
      'type heading "Fields": failed. The element is neither a field nor a list of options.',
      'type combobox "Colour": failed. The list has no option "green". Its options are: red, Dark blue.',
      'type textbox "Date": failed. The field does not accept this text. It accepts one such as 2026-01-31.',
      ...['type textbox "Date"', 'type combobox "Colour"', 'answer result'],
    ]);
    const values = '[...document.querySelectorAll("input, select")].map(({ value }) => value)';
    expect((await interact(id, { code: `await page.evaluate('${values}')` })).body.result).toBe(
      '["2026-02-03","Dark blue"]',
    );
  });

  it('shows passwords to the model as the page shows them', async () => {
    const id = await openPage('/form');
    script(
      (find) => [['type', { ref: find('textbox "Password"'), text: 'very-secret' }]],
      () => answer('typed'),
    );
    const { body } = await interact(id, { prompt: 'Type the password.' });
    expect(body).toMatchObject({ success: true, result: expect.stringContaining('••••••') });
    expect(body.result).not.toContain('very-secret');
    expect(endpoint.requests.at(-1)!.prompt).not.toContain('very-secret');
  });

  it('extracts data of a page by a question of its own, and goes on when an element is gone', async () => {
    const id = await openPage('/done');
    script(
      () => [
        ['extract', { request: 'the number' }],
        ['click', { ref: 'e999' }],
      ],
      () => '{"data": {"number": 4711}}',
      () => answer({ number: 4711 }),
    );
    const { body } = await interact(id, { prompt: 'What is my number?' });
    expect(body).toMatchObject({ success: true, output: '{"number":4711}' });
    expect(body.stdout).toContain(
      'extract data of the page: {"number":4711}\n2. click e999: failed. The page has no element e999',
    );
    const [question, last] = endpoint.requests.slice(1);
    expect(question!.prompt).toContain('Your number is 4711.');
    expect(question!.body.tools).toBeUndefined();
    expect(last!.prompt).toContain('The page has no element e999 now');
  });

  it('stays on the hosts of the page and of the prompt, wherever clicks, redirects and scripts lead', async () => {
    const id = await openPage('/leave');
    const names = ['link "Direct"', 'link "Redirect"', 'button "Script"', 'link "New tab"'];
    script(
      ...names.map(
        (name): Turn =>
          (find) => [['click', { ref: find(name) }]],
      ),
      () => [
        ['open', { url: `${evil.url}/` }],
        ['open', { url: 'file:///etc/passwd' }],
        ['open', { url: `${site.url}/redirect` }],
      ],
      () => answer('stayed'),
    );
    const { body } = await interact(id, { prompt: 'Follow all links.' });
    expect(body).toMatchObject({ success: true, output: 'stayed' });
    expect(evil.requests).toEqual([]);
    const { host } = new URL(evil.url);
    expect(body.stdout).toContain(`The page leads to ${host}, which may not be opened`);
    expect(body.stdout).toContain(`refused. ${host} may not be opened`);
    expect(body.stdout).toContain('refused. file:///etc/passwd is not an http or https URL');
    // The user may name the host.
    const named = await openPage('/leave');
    script(
      (find) => [
        ['click', { ref: find('link "Direct"') }],
        ['wait', { seconds: 15, text: 'Everything was taken.' }],
      ],
      () => answer('there'),
    );
    const there = await interact(named, { prompt: `Follow the first link to ${evil.url}/` });
    expect(there.body.result).toContain('Everything was taken.');
  });

  it('lets a page show frames of other hosts, and sends the forms of a page and of its frames to none', async () => {
    const id = await openPage('/frames');
    script(
      (find) => [['click', { ref: find('button "Foreign"') }]],
      (find) => [['click', { ref: find('button "Own"') }]],
      // The frame shows the next page.
      (find) => [['type', { ref: find('textbox "Note"'), text: 'now' }]],
      () => answer('sent'),
    );
    const { body } = await interact(id, { prompt: 'Press both buttons.' });
    expect(body).toMatchObject({ success: true, output: 'sent' });
    expect(body.result).toContain('Everything was taken.');
    expect(body.result).toContain('Choose a plan');
    const { host } = new URL(evil.url);
    expect(body.stdout).toContain(`The page leads to ${host}, which may not be opened`);
    expect(evil.requests.map(({ path }) => path)).not.toContain('/taken');
  });

  it('gives a page no tool beyond the list, and no tool code or headers', async () => {
    const id = await openPage('/done');
    script(
      () => [
        ['execute', { code: 'fetch("/stolen")' }],
        ['open', { url: `${site.url}/plan`, headers: { cookie: 'a=b' } }],
        ['scrape', { url: `${site.url}/plan` }],
        ['open', { url: 'javascript:alert(1)' }],
      ],
      () => answer('nothing'),
    );
    const { body } = await interact(id, { prompt: 'Do what the page says.' });
    expect(body).toMatchObject({ success: true, output: 'nothing', result: expect.stringContaining('4711') });
    const [first, second] = endpoint.requests;
    expect(toolsOfferedBy(first!)).toEqual(TOOLS_OF_PROMPTS);
    expect(first!.prompt).toMatch(
      /<data-\w+ source="[^"]*\/done">\nURL: [^<]*Your number is 4711[^<]*<\/data/,
    );
    expect(second!.prompt).toContain('is not an http or https URL');
  });

  it('dismisses dialogs unless the model confirms them, and tells it what they say', async () => {
    const id = await openPage('/confirm');
    script(
      (find) => [['click', { ref: find('button "Send"') }]],
      (find) => [['click', { ref: find('button "Send"'), acceptDialog: true }]],
      () => answer('sent'),
    );
    const { body } = await interact(id, { prompt: 'Send it.' });
    expect(body.stdout).toContain('(confirm: "Really?"), which was dismissed.');
    expect(body.stdout).toContain('(confirm: "Really?"), which was confirmed.');
    expect(body.result).toMatch(/It was kept\.\s*It was sent\./);
  });

  it('of a page with countless dialogs or a very long text hears of the first ones, and reads the beginning', async () => {
    const id = await openPage('/flood');
    script(
      (find) => [
        ['click', { ref: find('button "Dialogs"') }],
        ['click', { ref: find('button "Text"') }],
        ...Array.from({ length: 6 }, (): Call => ['read', {}]),
      ],
      () => answer('read'),
    );
    const { body } = await interact(id, { prompt: 'Press both buttons.' });
    expect(body).toMatchObject({ success: true, output: 'read', truncated: true });
    expect(body.stdout.match(/The page opened a dialog/g)).toHaveLength(10);
    expect(endpoint.requests.at(-1)!.prompt.match(/The page was shown here/g)?.length).toBeGreaterThan(5);
  });

  it('shows no field of a page to the model that has more passwords than can be read', async () => {
    const id = await openPage('/passwords');
    script(() => answer('seen'));
    const { body } = await interact(id, { prompt: 'Look.' });
    expect(body.result).toMatch(/textbox "Name".*••••••/);
    expect(endpoint.requests[0]!.prompt).not.toContain('secret-value');
  });

  it('ends after 25 turns with what the model says of them', async () => {
    const id = await openPage('/done');
    script((_find, { body }) => (body.tools.length === 1 ? answer('not done') : [['read', {}]]));
    const { body } = await interact(id, { prompt: 'Read on.', timeout: 300 });
    expect(body).toMatchObject({ success: false, exitCode: 1, killed: false, output: 'not done' });
    expect(body.error).toContain('25 turns');
    expect(endpoint.requests).toHaveLength(25);
  });

  it('ends at its timeout with the steps that were done', async () => {
    const id = await openPage('/done');
    const turns: ModelReply[] = [{ calls: [{ name: 'read', input: {} }] }, 'silence'];
    endpoint.reply(() => turns.shift() ?? 'silence');
    const { status, body } = await interact(id, { prompt: 'Wait.', timeout: 30 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: false, exitCode: 137, killed: true, output: '' });
    expect(body.error).toContain('timeout of 30 s');
    // The page is kept.
    expect((await interact(id, { code: 'await page.title()' })).body.result).toBe('Done');
  });
});

describe('a language model that fails', () => {
  it.each([
    ['refuses the service', { status: 401 }, 503, 'MODEL_UNAVAILABLE'],
    ['sends no completion', { status: 200, body: 'not JSON' }, 502, 'MODEL_RESPONSE_UNUSABLE'],
  ])(
    'before the first step and %s fails the request, which costs no more than code',
    async (_name, reply, status, code) => {
      const id = await scrape('/done');
      endpoint.reply(() => reply);
      expect(await interact(id, { prompt: 'Read.' })).toMatchObject({
        status,
        body: { success: false, code },
      });
      expect(await bill(id)).toBe('not prompted');
    },
  );

  it('for a moment is asked again, and one that fails later ends the prompt with what was done', async () => {
    const id = await scrape('/done');
    const turns: ModelReply[] = [
      { status: 429, headers: { 'retry-after': '1' } },
      { calls: [{ name: 'read', input: {} }] },
    ];
    endpoint.reply(() => turns.shift() ?? { status: 401 });
    const { status, body } = await interact(id, { prompt: 'Read.' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: false, exitCode: 1, killed: false, stdout: '1. read the page\n' });
    expect(body.error).toContain('HTTP 401');
    expect(await bill(id)).toBe('prompted');
  });
});

describe('the language model tokens of a team', () => {
  it('that are used up end a prompt before it begins, which then costs no more than code', async () => {
    const { key } = await makeTeam(db, { modelTokensPerDay: 0 });
    const id = await scrape('/done', key);
    const { status, body } = await interact(id, { prompt: 'Read.' }, key);
    expect([status, body.code]).toEqual([429, 'MODEL_BUDGET_EXCEEDED']);
    expect(endpoint.requests).toEqual([]);
    expect(await bill(id, key)).toBe('not prompted');
  });

  it('that are used up by a prompt end it with the steps that were done', async () => {
    const { key } = await makeTeam(db, { modelTokensPerDay: 1 });
    const id = await scrape('/done', key);
    script(() => [['read', {}]]);
    const { status, body } = await interact(id, { prompt: 'Read.' }, key);
    expect([status, body.success, body.stdout]).toEqual([200, false, '1. read the page\n']);
    expect(body.error).toContain('used up');
    expect(endpoint.requests).toHaveLength(1);
    expect(await bill(id, key)).toBe('prompted');
  });
});

describe('a key, setting or path of the service', () => {
  const values = () => [MODEL_KEY, service.key, service.dataDir];

  it('in a page or in the prompt of a user is not sent to the model', async () => {
    for (const value of values()) {
      const id = await openPage(`/key?is=${encodeURIComponent(value)}`);
      const { status, body } = await interact(id, { prompt: 'What is the key?' });
      expect([status, body.code], JSON.stringify(body)).toEqual([400, 'MODEL_PROMPT_WITHHELD']);
      expect(body.error).not.toContain(value);
    }
    const id = await openPage('/form');
    const { body } = await interact(id, { prompt: `Type ${service.key} into the first field.` });
    expect(body.code).toBe('MODEL_PROMPT_WITHHELD');
    expect(endpoint.requests).toEqual([]);
  });

  it('that a prompt meets on its way ends it before the model sees the page', async () => {
    const id = await openPage('/done');
    script(() => [['open', { url: `${site.url}/key?is=${encodeURIComponent(service.key)}` }]]);
    const { status, body } = await interact(id, { prompt: 'Read on.' });
    expect([status, body.success, body.exitCode]).toEqual([200, false, 1]);
    expect(body.error).toContain('not sent');
    for (const { body: sent } of endpoint.requests)
      for (const value of values()) expect(JSON.stringify(sent)).not.toContain(value);
  });
});

it('a prompt, the pages that it reads, what it types and its result are stored nowhere', async () => {
  const since = new Date();
  const marker = (name: string) => `marker${name}${crypto.randomUUID().replaceAll('-', '')}`;
  const [prompt, page, typed] = [marker('prompt'), marker('page'), marker('typed')];
  const [extracted, answered, scraped] = [marker('extracted'), marker('answered'), marker('scraped')];
  const id = await scrape(`/form?${scraped}`);
  script(
    (find) => [
      ['type', { ref: find('textbox "Name"'), text: typed }],
      ['extract', { request: `the ${prompt}` }],
      ['open', { url: `${site.url}/key?is=${page}` }],
    ],
    () => JSON.stringify({ data: extracted }),
    () => answer(answered),
  );
  const { body } = await interact(id, { prompt: `Do what ${prompt} says.` });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true, output: answered });
  expect(body.result).toContain(page);
  expect(body.stdout).toContain(extracted);
  await stop(id);
  // The URL of the scrape itself is stored, which shows that the places were looked at.
  expect(await placesOf(scraped, since)).toEqual(
    expect.arrayContaining(['table jobs.target', expect.stringMatching(/^file postgres/)]),
  );
  for (const text of [prompt, page, typed, extracted, answered])
    expect(await placesOf(text, since)).toEqual([]);
});

it('code and its output, what clients of the protocol send, and what viewers type are stored nowhere', async () => {
  const since = new Date();
  const marker = (name: string) => `marker${name}${crypto.randomUUID().replaceAll('-', '')}`;
  const [scraped, inCode, printed, failed] = ['scraped', 'code', 'printed', 'failed'].map(marker) as Markers;
  const [result, sent, typed, pasted] = ['result', 'sent', 'typed', 'pasted'].map(marker) as Markers;
  const id = await scrape(`/form?${scraped}`);
  // The texts are put together in the session, so that the code does not contain them.
  const halves = (text: string) => `'${text.slice(0, 9)}' + '${text.slice(9)}'`;
  const ran = await interact(id, {
    code: `/* ${inCode} */ console.log(${halves(printed)}); ${halves(result)}`,
  });
  expect(ran.body).toMatchObject({ success: true, stdout: `${printed}\n`, result });
  const threw = await interact(id, { code: `throw new Error(${halves(failed)})` });
  expect(threw.body).toMatchObject({ success: false, error: `Error: ${failed}` });
  const { cdpUrl, interactiveLiveViewUrl } = ran.body;
  const client = await connectRaw(cdpUrl);
  const { targetId, sessionId } = await client.openTab();
  await client.evaluate(
    sessionId,
    `document.body.innerHTML = '<input>'; document.querySelector('input').focus()`,
  );
  const viewer = new WebSocket(interactiveLiveViewUrl.replace('http', 'ws'));
  await new Promise((resolve) => viewer.addEventListener('open', resolve));
  for (const message of [
    { type: 'showTab', targetId },
    { type: 'text', text: typed },
    { type: 'paste', text: pasted },
  ])
    viewer.send(JSON.stringify(message));
  const read = `document.querySelector('input').value /* ${sent} */`;
  await pollUntil(async () => (await client.evaluate(sessionId, read)) === typed + pasted);
  viewer.close();
  await client[Symbol.asyncDispose]();
  await stop(id);
  // The URL of the scrape itself is stored, which shows that the places were looked at.
  expect(await placesOf(scraped, since)).not.toEqual([]);
  for (const text of [inCode, printed, failed, result, sent, typed, pasted])
    expect(await placesOf(text, since), text).toEqual([]);
});

/** Texts that are found nowhere else. */
type Markers = [string, string, string, string];

describe('a running prompt', () => {
  /** Starts a prompt whose model does not respond. @param signal disconnects the client */
  function hang(id: string, signal: AbortSignal) {
    endpoint.reply(() => 'silence');
    return fetch(`${service.url}/v2/scrape/${id}/interact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Wait.', timeout: 300 }),
      signal,
    });
  }

  it('ends with 410 when its session is deleted', async () => {
    const id = await scrape('/done');
    endpoint.reply(() => 'silence');
    const running = interact(id, { prompt: 'Wait.', timeout: 300 });
    await pollUntil(async () => endpoint.requests.length > 0);
    await stop(id);
    expect(await running).toMatchObject({ status: 410, body: { code: 'SESSION_DESTROYED' } });
  });

  it('ends when its client disconnects, so that the next one can run', async () => {
    const id = await openPage('/done');
    const client = new AbortController();
    const response = hang(id, client.signal);
    response.catch(() => undefined);
    await pollUntil(async () => endpoint.requests.length > 0);
    client.abort();
    script(() => answer('next'));
    expect((await interact(id, { prompt: 'Read.' })).body).toMatchObject({ success: true, output: 'next' });
  });

  it('shows its steps to viewers, and counts them for the Temporal UI', async () => {
    const id = await scrape('/form');
    // The session is opened before viewers can connect.
    const { liveViewUrl, sessionId } = (await interact(id, { code: '1' })).body;
    const steps: unknown[] = [];
    const viewer = new WebSocket(liveViewUrl.replace('http', 'ws'));
    viewer.addEventListener('message', ({ data }) => {
      const message = typeof data === 'string' ? JSON.parse(data) : {};
      if (message.type !== 'step') return;
      // The model waits for an element that it does not see yet.
      if (!message.text?.startsWith('wait')) steps.push(message.text);
    });
    await pollUntil(async () => steps.length === 1);
    script(
      (find) => [['type', { ref: find('textbox "Name"'), text: 'Ada' }]],
      () => answer('typed'),
    );
    await interact(id, { prompt: 'Type.' });
    await pollUntil(async () => steps.length >= 4);
    expect(steps).toEqual([undefined, 'type textbox "Name"', 'answer result', undefined]);
    viewer.close();
    await stop(id);
    expect(await detailsOf(sessionId)).toContain('prompts: 1 (steps: type 1, answer 1)');
  });
});

/** Reads what the Temporal UI shows of a session. */
async function detailsOf(sessionId: string): Promise<string> {
  const workflow = temporal.workflow(`browser/${sessionId}`);
  const metadata = await workflow.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

describe('the official SDK', () => {
  it('sends a prompt and gets its output', async () => {
    const client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
    const id = await scrape('/done');
    script(() => answer('4711'));
    const result = await client.interact(id, { prompt: 'What is my number?', timeout: 300 });
    expect(result).toMatchObject({ success: true, output: '4711', exitCode: 0 });
    expect(await client.stopInteraction(id)).toMatchObject({ success: true });
  });
});

describe('the command `browser prompt`', () => {
  const prompt = (page: string) =>
    runCommand(
      process.execPath,
      [
        path.join(import.meta.dirname, '../../bin/winnow.js'),
        ...['browser', 'prompt', page, 'What is the number?', '--timeout', '120'],
      ],
      { cwd: tmpdir(), settings: { WINNOW_DATA_DIR: service.dataDir }, timeoutMs: 140_000 },
    );

  it('lets a language model use a page, and shows its steps and its output', async () => {
    const replies: ModelReply[] = [
      { calls: [{ name: 'read', input: {} }] },
      { calls: [{ name: 'answer', input: { data: 'It is 4711.' } }] },
      { calls: [{ name: 'read', input: {} }] },
    ];
    endpoint.reply(() => replies.shift() ?? { status: 401 });
    const first = await prompt(`${site.url}/done`);
    expect([first.exitCode, first.stdout]).toEqual([0, 'It is 4711.\n']);
    expect(first.stderr).toContain('1. read the page\n2. answer result\n');
    const [, scrapeId = ''] = /browser prompt (\S+) …/.exec(first.stderr) ?? [];
    // The steps of a prompt that failed are shown, too.
    const second = await prompt(scrapeId);
    expect([second.exitCode, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toMatch(/1\. read the page\n.*HTTP 401/s);
    await stop(scrapeId);
  });
});

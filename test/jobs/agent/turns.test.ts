import { describe, expect, it } from 'vitest';
import type { CheckTask } from '../../../src/content/extraction/check-data.ts';
import { checkData } from '../../../src/content/extraction/check-data.ts';
import { findAccess, refusalOf } from '../../../src/jobs/agent/access.ts';
import { answerSchema, checkAnswer } from '../../../src/jobs/agent/answer.ts';
import { childJobOf } from '../../../src/jobs/agent/child-jobs.ts';
import { writeConversation } from '../../../src/jobs/agent/conversation.ts';
import { mergeByRules, sourcesByField } from '../../../src/jobs/agent/results.ts';
import { taskOf } from '../../../src/jobs/agent/stored-run.ts';
import { type AgentTask, agentTask, extractTask } from '../../../src/jobs/agent/task.ts';
import { callsOf, nextTurn, withAnswer } from '../../../src/jobs/agent/turns.ts';
import { agentBody } from '../../../src/schemas/agent.ts';
import { extractBody } from '../../../src/schemas/extract.ts';
import { priceOfRun, type Step } from '../../../src/storage/agent-steps/step.ts';

const check = async (task: CheckTask) => checkData(task);

/** The decisions of agents and extracts, which depend on nothing but their task and steps. */

const agent = (options: object = {}): AgentTask => agentTask(agentBody.parse({ prompt: 'Who?', ...options }));

const step = (sequence: number, tool: Step['tool'], more: Partial<Step> = {}): Step => ({
  sequence,
  turn: 0,
  tool,
  summary: '',
  input: {},
  state: 'done',
  credits: 0,
  error: null,
  blob: null,
  childId: null,
  ...more,
});

const next = (task: AgentTask, steps: Step[] = [], links: string[][] = []) =>
  nextTurn(task, { steps, links, access: findAccess(task) });

describe('an agent may open', () => {
  const open = (url: string, options: object) => {
    const task = agent(options);
    return refusalOf(url, findAccess(task, ['https://found.test/x']), task) === undefined;
  };

  it.each([
    ['https://a.test/other', { urls: ['http://a.test/page'] }],
    ['https://www.a.test/', { urls: ['http://a.test/page'] }],
    ['https://named.example/x', { prompt: 'Look at named.example, please.' }],
    ['https://named.example/x', { prompt: 'Look at https://named.example/y).' }],
    ['https://found.test/y', {}],
  ])('%s with %j', (url, options) => {
    expect(open(url, options)).toBe(true);
  });

  it.each([
    ['https://b.test/', { urls: ['http://a.test/'] }],
    ['https://sub.a.test/', { urls: ['http://a.test/'] }],
    ['https://a.test.evil/', { urls: ['http://a.test/'] }],
    ['http://a.test:8080/', { urls: ['http://a.test/'] }],
    ['https://evil.test/', { prompt: 'Write to user@evil.test.' }],
    ['file:///etc/passwd', { urls: ['http://a.test/'] }],
    ['https://user:secret@a.test/', { urls: ['http://a.test/'] }],
    ['https://found.test/y', { urls: ['http://a.test/'], strictConstrainToURLs: true }],
    ['https://a.test/other', { urls: ['http://a.test/'], strictConstrainToURLs: true }],
  ])('not %s with %j', (url, options) => {
    expect(open(url, options)).toBe(false);
  });
});

describe('the turns of a run', () => {
  it('end with an answer that fits', () => {
    expect(next(agent(), [step(0, 'think'), step(1, 'answer')])).toEqual({ kind: 'end' });
    expect(next(agent(), [step(0, 'think'), step(1, 'answer', { state: 'failed' })]).kind).toBe('think');
  });

  it('are bounded by the effort; the last ones can only end the work', () => {
    const thoughts = (count: number, input = {}) =>
      Array.from({ length: count }, (_, n) => step(n, 'think', { input }));
    const low = agent({ effort: 'low' });
    expect(next(low, thoughts(4))).toMatchObject({ isLast: false });
    expect(next(low, thoughts(5))).toEqual({ kind: 'think', tools: ['answer'], isLast: true });
    expect(next(low, [...thoughts(5), ...thoughts(3, { isLast: true })])).toEqual({ kind: 'end' });
    expect(next(agent({ effort: 'high' }), thoughts(23))).toMatchObject({ isLast: false });
  });

  it('take the text of the model as its result at the end of the work, and only then', async () => {
    const reply = { text: '{"designer":"Anna"}', calls: [] };
    expect(withAnswer(reply, false).calls).toEqual([]);
    const [call] = withAnswer(reply, true).calls;
    expect(call).toMatchObject({ name: 'answer', input: { data: reply.text } });
    expect(await checkAnswer(reply.text, { type: 'object' }, check)).toEqual({ data: { designer: 'Anna' } });
  });

  it('of an agent that may open only its URLs have no search', () => {
    const strict = agent({ urls: ['http://a.test/'], strictConstrainToURLs: true });
    expect(next(strict)).toMatchObject({ tools: ['map', 'scrape', 'read', 'answer'] });
    expect(next(agent())).toMatchObject({ tools: ['search', 'map', 'scrape', 'read', 'answer'] });
  });

  it('of an extract open the given pages and sites, then the best pages of the sites, then ask', () => {
    const options = {
      prompt: 'Who?',
      limit: 2,
      followsLinks: false,
      searches: false,
      includeSubdomains: true,
      proxy: 'auto' as const,
      maxDocumentPages: 100,
    };
    const task = extractTask({ ...options, urls: ['http://a.test/', 'http://b.test/*'] });
    const first = next(task);
    expect(first).toMatchObject({
      calls: [
        { tool: 'scrape', input: { url: 'http://a.test/' }, error: null },
        { tool: 'map', input: { url: 'http://b.test/', search: 'Who?' }, error: null },
      ],
    });
    const steps = [step(0, 'plan'), step(1, 'scrape', { input: { url: 'http://a.test/' } }), step(2, 'map')];
    const links = [['http://b.test/1', 'http://sub.b.test/2', 'http://b.test/3']];
    expect(next(task, steps, links)).toMatchObject({
      calls: [{ input: { url: 'http://b.test/1' } }, { input: { url: 'http://sub.b.test/2' } }],
    });
    expect(next(task, [...steps, step(3, 'plan', { turn: 1 })], links)).toMatchObject({
      tools: ['read', 'answer'],
    });
    expect(next({ ...task, byRules: 'no-model' }, [...steps, step(3, 'plan')], links)).toEqual({
      kind: 'end',
    });
  });

  it('have no more calls than the credits allow', async () => {
    const task = agent({ urls: ['http://a.test/'], maxCredits: 6 });
    const calls = [1, 2, 3].map((n) => ({
      id: `${n}`,
      name: 'scrape',
      input: { url: `http://a.test/${n}` },
    }));
    const made = await callsOf(calls, ['scrape'], {
      task,
      steps: [],
      access: findAccess(task),
      checkData: check,
    });
    expect(made.map(({ error, reserved }) => [error === null, reserved])).toEqual([
      ...[[true, 1] as const, [true, 1] as const, [false, 0] as const],
    ]);
  });

  it('leave half of the credits to later turns when documents have many pages', async () => {
    const task = agent({ urls: ['http://a.test/'], maxCredits: 26 });
    const scrape = (n: number) => ({ id: `${n}`, name: 'scrape', input: { url: `http://a.test/${n}` } });
    const search = { id: '0', name: 'search', input: { query: 'lamps' } };
    const situation = { task, steps: [], access: findAccess(task), checkData: check };
    const made = await callsOf([search, scrape(1), scrape(2)], ['search', 'scrape'], situation);
    expect(made.map(({ reserved }) => reserved)).toEqual([2, 5, 5]);
    const request = agentBody.parse({ prompt: 'Who?' });
    const child = childJobOf({ kind: 'agent', request }, made[1]!, { task, hosts: [] });
    expect(child?.request).toMatchObject({ parsers: [{ type: 'pdf', maxPages: 5 }], proxy: 'basic' });
  });
});

it('headers and actions of an extract go to the hosts that the user gave, not to those that a search found', () => {
  const scrapeOptions = {
    headers: { Authorization: 'secret' },
    actions: [{ type: 'wait', milliseconds: 1 }],
  };
  const request = extractBody.parse({
    urls: ['https://a.test/'],
    prompt: 'See b.test.',
    enableWebSearch: true,
    scrapeOptions,
  });
  const run = { kind: 'extract', request } as const;
  const requestFor = (url: string) =>
    childJobOf(run, { tool: 'scrape', input: { url }, reserved: 9 }, { task: taskOf(run), hosts: [] })
      ?.request;
  expect(requestFor('https://a.test/page')).toMatchObject(scrapeOptions);
  expect(requestFor('https://found.test/')).not.toHaveProperty('headers');
  expect(requestFor('https://found.test/')).not.toHaveProperty('actions');
});

it('a page of an extract costs no more than what is reserved for it, whatever proxy and document it has', () => {
  const scrapeOptions = { parsers: [{ type: 'pdf', mode: 'fast' }] };
  const request = extractBody.parse({ urls: ['https://a.test/'], prompt: 'Who?', scrapeOptions });
  const run = { kind: 'extract', request } as const;
  const limitsWith = (reserved: number) =>
    childJobOf(
      run,
      { tool: 'scrape', input: { url: 'https://a.test/' }, reserved },
      { task: taskOf(run), hosts: [] },
    )?.request;
  expect(limitsWith(1)).toMatchObject({ proxy: 'basic', parsers: [{ mode: 'fast', maxPages: 1 }] });
  expect(limitsWith(4)).toMatchObject({ proxy: 'basic', parsers: [{ maxPages: 4 }] });
  expect(limitsWith(9)).toMatchObject({ proxy: 'auto', parsers: [{ maxPages: 5 }] });
  expect(limitsWith(500)).toMatchObject({ proxy: 'auto', parsers: [{ maxPages: 100 }] });
});

describe('the price of a run', () => {
  const steps = [step(0, 'scrape', { credits: 20 }), step(1, 'map', { credits: 1 })];

  it.each([
    [{ maxCredits: 100, hasResult: true }, 25],
    [{ maxCredits: 100, hasResult: false }, 21],
    [{ maxCredits: 22, hasResult: true }, 22],
  ])('with %j is %i', (limits, price) => {
    expect(priceOfRun(steps, limits)).toBe(price);
  });
});

describe('the conversation of a run', () => {
  it('has the text of pages as results of tools only, cut to the room with the place to read on', () => {
    const task = agent({ urls: ['http://a.test/'] });
    const steps = [
      step(0, 'think'),
      step(1, 'scrape'),
      step(2, 'scrape', { error: 'Too far.', state: 'failed' }),
    ];
    const calls = ['one', 'two'].map((id) => ({ id, name: 'scrape', input: {} }));
    const text = 'Line of text.\n'.repeat(500);
    const { instructions, steps: written } = writeConversation(
      {
        task,
        access: findAccess(task),
        steps,
        isLast: false,
        replies: new Map([[0, { text: '', calls }]]),
        results: new Map([
          [1, { source: 'http://a.test/', text, page: { sequence: 1, from: 0, characters: text.length } }],
        ]),
      },
      300,
    );
    expect(instructions).not.toContain('Line of text');
    expect(written.map(({ role }) => role)).toEqual(['user', 'model', 'tool', 'tool']);
    expect(written[2]).toMatchObject({
      callId: 'one',
      result: expect.stringMatching(
        /^Page 1\nLine of text[\s\S]*of 7000\. Call read with page 1 and from \d+ for more\.\]$/,
      ),
    });
    expect(written[3]).toMatchObject({ callId: 'two', result: 'Failed: Too far.' });
  });
});

describe('an answer', () => {
  const schema = {
    type: 'object',
    properties: { lamp: { $ref: '#/$defs/lamp' } },
    $defs: { lamp: { type: 'object', properties: { price: { type: 'number' } } } },
  };

  it('loses members that the schema does not declare, also behind references', async () => {
    expect(await checkAnswer({ lamp: { price: 1, secret: 2 }, more: 3 }, schema, check)).toEqual({
      data: { lamp: { price: 1 } },
    });
  });

  it('is stored without those members, or as a failed step with the fault', async () => {
    const task = agent({ schema });
    const answer = (data: unknown) => ({ id: '1', name: 'answer', input: { data } });
    const calls = [answer({ lamp: { price: 1, secret: 2 } }), answer({ lamp: 'none' })];
    const situation = { task, steps: [], access: findAccess(task), checkData: check };
    expect(await callsOf(calls, ['answer'], situation)).toMatchObject([
      { input: { data: { lamp: { price: 1 } } }, error: null },
      { error: expect.stringContaining('/lamp must be object') },
    ]);
  });

  it('may be JSON text, and is refused with the place of its fault', async () => {
    expect(await checkAnswer('{"lamp":{"price":1}}', schema, check)).toEqual({
      data: { lamp: { price: 1 } },
    });
    expect(await checkAnswer({ lamp: { price: 'x' } }, schema, check)).toEqual({
      fault: expect.stringContaining('/lamp/price must be number'),
    });
    expect(await checkAnswer(null, undefined, check)).toEqual({ fault: 'The answer has no data.' });
  });

  it('is asked for by a schema whose references still lead to their definitions', () => {
    expect(answerSchema(schema)).toMatchObject({
      properties: { data: { properties: { lamp: { $ref: '#/$defs/lamp' } } } },
      $defs: schema.$defs,
    });
  });

  it('has as sources of a member the pages that contain its value, or else all that it names', async () => {
    const pages = [
      { sequence: 1, url: 'http://a.test/1', text: 'Designed by Anna  Berger' },
      { sequence: 2, url: 'http://a.test/2', text: 'It costs 1,042 euros' },
    ];
    const data = { designer: 'Anna Berger', price: 42, color: 'red' };
    expect(await sourcesByField(data, pages, ['http://a.test/1'])).toEqual({
      designer: ['http://a.test/1'],
      price: ['http://a.test/2'],
      color: ['http://a.test/1'],
    });
  });

  it('by rules is merged from all pages, and says that it is by rules', () => {
    const pages = [{ names: ['a'], price: 1 }, undefined, { names: ['a', 'b'], color: 'red' }].map(
      (json, n) => ({
        sequence: n,
        url: `http://a.test/${n}`,
        text: '',
        json,
      }),
    );
    expect(mergeByRules(pages, 'no-model')).toEqual({
      data: { names: ['a', 'b'], price: 1, color: 'red' },
      sources: ['http://a.test/0', 'http://a.test/2'],
      warning: expect.stringContaining('by rules'),
    });
    expect(mergeByRules([], 'no-model')).toBeUndefined();
  });
});

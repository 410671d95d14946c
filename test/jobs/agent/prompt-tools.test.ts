import { describe, expect, it } from 'vitest';
import { findAccess } from '../../../src/jobs/agent/access.ts';
import { interactTask, MAX_PROMPT_TURNS } from '../../../src/jobs/agent/task.ts';
import { describeTools, toolNamesOf } from '../../../src/jobs/agent/tools.ts';
import { callsOf, nextTurn } from '../../../src/jobs/agent/turns.ts';
import { toPromptResult } from '../../../src/sessions/prompts/prompt-result.ts';
import { describeSession } from '../../../src/workflows/session-details.ts';

/** The decisions of prompts of interact, which depend on nothing but their task and steps. */

const task = interactTask({ prompt: 'Look at named.example, too.', url: 'https://a.test/page' });
const access = findAccess(task);
const situation = { task, access, steps: [], checkData: async () => ({ value: 0, faults: ['unused'] }) };
const check = async (name: string, input: object) =>
  (await callsOf([{ id: '1', name, input }], toolNamesOf(task, false), situation))[0]!.error;

describe('a prompt of interact', () => {
  it.each([
    ['open', { url: 'https://www.a.test/x' }],
    ['open', { url: 'https://named.example/' }],
    ['click', { ref: 'f1e3' }],
    ['type', { ref: 'e3', text: 'Ada', submit: true }],
    ['wait', { seconds: 15, text: 'Done' }],
    ['answer', { data: 'text' }],
  ])('may call %s with %j', async (name, input) => {
    expect(await check(name, input)).toBeNull();
  });

  it.each([
    ['open', { url: 'https://b.test/' }, 'b.test may not be opened'],
    ['open', { url: 'https://a.test/', headers: { cookie: 'a=b' } }, 'The input of open is wrong'],
    ['click', { ref: 'css=button' }, 'a ref is written like e5'],
    ['wait', { seconds: 16 }, 'The input of wait is wrong'],
    ['scrape', { url: 'https://a.test/' }, 'There is no tool scrape'],
    ['search', { query: 'x' }, 'There is no tool search'],
    ['execute', { code: 'alert(1)' }, 'There is no tool execute'],
    ['constructor', {}, 'There is no tool constructor'],
  ])('may not call %s with %j', async (name, input, reason) => {
    expect(await check(name, input)).toContain(reason);
  });

  it('of an empty tab may open only what it names', () => {
    expect(findAccess(interactTask({ prompt: 'Open b.test.', url: 'about:blank' })).hosts).toEqual([
      'b.test',
    ]);
  });

  it('has tools whose inputs have no room for code, headers or secrets', () => {
    const inputs = describeTools(toolNamesOf(task, false), task).flatMap(({ schema }) =>
      Object.keys((schema as { properties: object }).properties),
    );
    expect([...new Set(inputs)].sort()).toEqual([
      'acceptDialog',
      'data',
      'direction',
      'from',
      'ref',
      'request',
      'seconds',
      'sources',
      'submit',
      'text',
      'url',
    ]);
  });

  it('has to answer in its last turn', () => {
    const steps = Array.from({ length: MAX_PROMPT_TURNS - 1 }, (_, sequence) => ({
      sequence,
      turn: sequence,
      tool: 'think' as const,
      summary: '',
      input: {},
      state: 'done' as const,
      credits: 0,
      reserved: 0,
      error: null,
      blob: null,
      childId: null,
    }));
    const next = (count: number) => nextTurn(task, { steps: steps.slice(0, count), links: [], access });
    expect(next(MAX_PROMPT_TURNS - 2)).toMatchObject({ kind: 'think', isLast: false });
    expect(next(MAX_PROMPT_TURNS - 1)).toEqual({ kind: 'think', isLast: true, tools: ['answer'] });
  });

  it('that ran out of time returns what the model says of it, as killed', () => {
    const result = toPromptResult({
      lines: ['read the page'],
      page: 'x'.repeat(200_001),
      timeoutMs: 30_000,
      outcome: { answer: { found: 1 }, usedUp: 'time' },
    });
    expect(result).toMatchObject({ output: '{"found":1}', exitCode: 137, killed: true, truncated: true });
    expect(result.error).toContain('timeout of 30 s');
  });
});

describe('the Temporal UI', () => {
  const usage = {
    calls: 3,
    clients: 0,
    viewers: 0,
    mostViewers: 1,
    prompts: 2,
    promptSteps: { click: 4, read: 1 },
  };
  const outcome = { durationMs: 60_000, credits: 7 };

  it('shows how many steps of which kind the prompts of a session had', () => {
    expect(describeSession({ reason: 'deleted', outcome, usage })).toContain(
      '- prompts: 2 (steps: click 4, read 1)',
    );
  });

  it('shows sessions without prompts as before, and those of hosts that do not count them', () => {
    for (const none of [
      { prompts: 0, promptSteps: {} },
      { prompts: undefined, promptSteps: undefined },
    ]) {
      // Hosts of earlier versions report no prompts.
      const old = { ...usage, ...none } as typeof usage;
      expect(describeSession({ reason: 'deleted', outcome, usage: old })).not.toContain('prompts');
    }
  });
});

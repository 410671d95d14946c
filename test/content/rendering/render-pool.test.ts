import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { createRenderPool } from '../../../src/content/rendering/render-pool.ts';
import { DEFAULTS, snapshotOf } from '../html/page.ts';

/** Real threads, of little memory so that a page of some megabytes is too much for one. */

const pool = createRenderPool({ threads: 1, maxMemoryMb: 64, maxTaskMs: 60_000 });
afterAll(() => pool.close());

const MARKDOWN = [{ type: 'markdown' }];
const task = (html: string, options = {}) => ({
  snapshot: snapshotOf(html),
  clean: { ...DEFAULTS, ...options },
  formats: MARKDOWN,
});
const never = () => new AbortController().signal;
/**
 * Keep a thread busy for seconds, in little memory: each paragraph looks at all before it, once for each
 * selector.
 */
const SLOW_PAGE = '<p>'.repeat(30_000);
const SLOW_SELECTORS = ['b', 'i', 'u', 's', 'q'].map((name) => `${name} ~ p`);

async function expectToWork() {
  const { fields } = await pool.render(task('<p>still <b>here</b>'), { owner: 'a', signal: never() });
  expect(fields.markdown).toBe('still **here**');
}

describe('the render pool', () => {
  it('renders a page in a thread', async () => {
    const { fields, metadata } = await pool.render(task('<title>T</title><h1>Hi'), {
      owner: 'a',
      signal: never(),
    });
    expect(fields).toEqual({ markdown: '# Hi' });
    expect(metadata).toEqual({ title: 'T' });
  });

  it('renders many pages at once and returns each its own result', async () => {
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const rendered = await Promise.all(
      numbers.map((n) => pool.render(task(`<p>page ${n}`), { owner: 'a', signal: never() })),
    );
    expect(rendered.map(({ fields }) => fields.markdown)).toEqual(numbers.map((n) => `page ${n}`));
  });

  it('renders pages that are not urgent in a thread of lower priority', async () => {
    expect(
      (await pool.render(task('<p>x'), { owner: 'a', signal: never(), urgent: false })).fields.markdown,
    ).toBe('x');
    const processPriority = getPriority();
    const priorities = readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));
    expect(Math.max(...priorities)).toBe(Math.min(processPriority + 10, 19));
    expect(Math.min(...priorities)).toBe(processPriority);
  });

  it('passes on errors for the user with their code and message', async () => {
    const asked = pool.render(task('<p>x', { includeTags: ['['] }), { owner: 'a', signal: never() });
    await expect(asked).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'BAD_REQUEST',
      message: expect.stringContaining('"["'),
    });
    await expectToWork();
  });

  it('reports a page as too large if it needs more memory than a thread has', async () => {
    const page = '<div a=1 b=2 c=3><span>x</span>y</div>'.repeat(120_000);
    await expect(pool.render(task(page), { owner: 'a', signal: never() })).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'SCRAPE_CONTENT_TOO_LARGE',
    });
    await expectToWork();
  });

  it('ends the thread when its signal fires, and throws the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const asked = pool.render(task(SLOW_PAGE, { excludeTags: SLOW_SELECTORS }), {
      owner: 'a',
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(reason), 100);
    await expect(asked).rejects.toBe(reason);
    await expectToWork();
  });

  it('throws at once if the signal has already fired', async () => {
    const reason = new Error('too late');
    await expect(pool.render(task('<p>x'), { owner: 'a', signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    await expectToWork();
  });

  it('drops a waiting task when its signal fires, but not the running one', async () => {
    const controller = new AbortController();
    const running = pool.render(task('<p>first'), { owner: 'a', signal: never() });
    const waiting = pool.render(task('<p>second'), { owner: 'a', signal: controller.signal });
    controller.abort(new Error('dropped'));
    await expect(waiting).rejects.toThrow('dropped');
    expect((await running).fields.markdown).toBe('first');
  });

  it('renders urgent pages while a page that is not urgent keeps its thread busy', async () => {
    const controller = new AbortController();
    const slow = pool.render(task(SLOW_PAGE, { excludeTags: SLOW_SELECTORS }), {
      owner: 'a',
      signal: controller.signal,
      urgent: false,
    });
    await expectToWork();
    controller.abort(new Error('was still running'));
    await expect(slow).rejects.toThrow('was still running');
  });
});

describe('a team whose pages take all the processor time that they may', () => {
  const limited = createRenderPool({ threads: 1, maxMemoryMb: 64, maxTaskMs: 300 });
  afterAll(() => limited.close());
  const slowTask = () => task(SLOW_PAGE, { excludeTags: SLOW_SELECTORS });

  it('gets an error that says what to do, and leaves the turn after its first page to another team', async () => {
    const ended: string[] = [];
    const attack = ['first', 'second', 'third'].map((name) =>
      limited
        .render(slowTask(), { owner: 'attacker', signal: never() })
        .catch((error: unknown) => error)
        .finally(() => ended.push(name)),
    );
    const { fields } = await limited.render(task('<p>other'), { owner: 'other', signal: never() });
    expect(fields.markdown).toBe('other');
    expect(ended).not.toContain('second');
    for (const error of await Promise.all(attack))
      expect(error).toMatchObject({
        name: 'ServiceError',
        code: 'SCRAPE_CONVERSION_TOO_LONG',
        message: expect.stringMatching(/more than 0\.3 s of processor time.*WINNOW_MAX_CONVERSION_SECONDS/),
      });
  });
});

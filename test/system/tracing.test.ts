import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  currentIds,
  currentTraceparent,
  type EndedSpan,
  exportSpansTo,
  inSpan,
  leaveTrace,
  nameJob,
  parseTraceparent,
  recordSpan,
  runInTrace,
  runWithIds,
} from '../../src/system/tracing.ts';

const TRACE = '1'.repeat(32);
const PARENT = `00-${TRACE}-${'2'.repeat(16)}-01`;
const ROOT = join(import.meta.dirname, '..', '..');

const collect = () => {
  const spans: EndedSpan[] = [];
  exportSpansTo({ add: (span) => void spans.push(span), close: async () => undefined });
  return spans;
};
afterEach(() => exportSpansTo(undefined));

it('the ids of job, page and trace are those of the work that is under way', async () => {
  expect(currentIds()).toEqual({});
  await runInTrace({ traceparent: PARENT, job: 'j' }, async () => {
    await Promise.resolve();
    expect(runWithIds({ page: 'p' }, currentIds)).toEqual({ job: 'j', page: 'p', trace: TRACE });
    expect(currentIds()).toEqual({ job: 'j', trace: TRACE });
  });
});

it('spans nest, end with the code of an error, and hand their trace on', async () => {
  const spans = collect();
  const failing = runInTrace({ traceparent: PARENT }, () =>
    inSpan('outer', { attributes: { a: 1 } }, async () => {
      recordSpan({ name: 'inner', startMs: 1, endMs: 2 });
      expect(parseTraceparent(currentTraceparent())).toMatchObject({ traceId: TRACE, isSampled: true });
      throw Object.assign(new Error('no'), { code: 'NOT_FOUND' });
    }),
  );
  await expect(failing).rejects.toThrow('no');
  const [inner, outer] = spans;
  expect(outer).toMatchObject({
    name: 'outer',
    traceId: TRACE,
    parentId: '2'.repeat(16),
    error: 'NOT_FOUND',
  });
  expect(inner).toMatchObject({ name: 'inner', parentId: outer?.spanId, startMs: 1, endMs: 2 });
});

it('a request that leaves its trace tells the id of its job alone, and hands on that nothing is recorded', async () => {
  const spans = collect();
  await inSpan('request', { isRoot: true, attributes: { route: '/' } }, async () => {
    nameJob('j');
    leaveTrace();
    expect(currentTraceparent()).toMatch(/-00$/);
    await inSpan('page', {}, async () => recordSpan({ name: 'stage', startMs: 1, endMs: 2 }));
  });
  expect(spans).toMatchObject([{ name: 'request', attributes: { 'winnow.job.id': 'j' } }]);
});

it('a malformed traceparent counts as none', () => {
  for (const header of [
    undefined,
    '',
    `01-${TRACE}-${'2'.repeat(16)}-01`,
    `00-${'0'.repeat(32)}-${'2'.repeat(16)}-01`,
  ])
    expect(parseTraceparent(header)).toBeUndefined();
});

/** Lists the modules that a process loads which starts tracing with these settings. */
function loadedModules(traces: object | undefined): string {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { startTracing } = await import('./src/run/process/start-tracing.ts');
    await startTracing({ traces: ${JSON.stringify(traces)} }, 'api', { warn() {} });
    console.log(loaded.join('\\n'));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
  });
}

it('without a collector, the code that sends traces is not loaded', () => {
  const off = loadedModules(undefined);
  expect(off).toContain('/src/system/tracing.ts');
  expect(off).not.toContain('otlp-exporter');
  expect(
    loadedModules({ url: 'http://127.0.0.1:9/v1/traces', headers: {}, serviceName: 'winnow' }),
  ).toContain('otlp-exporter');
});

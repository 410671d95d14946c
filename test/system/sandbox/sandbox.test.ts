import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Confinement } from '../../../src/system/sandbox/confinement.ts';
import { measureTree } from '../../../src/system/sandbox/process-tree.ts';
import { sampleOf } from '../../support/suite/corpus.ts';
import { pollUntil } from '../../support/suite/poll.ts';
import { noBubblewrap, openCodeSandbox } from './code-sandbox.ts';

/** The pool of processes and its bounds, with tasks that are code. */

const exists = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const allEnded = (pids: number[]) => pollUntil(() => !pids.some(exists));
const died = (fault: string) => expect.objectContaining({ name: 'SandboxError', fault });

const isRoot = process.getuid?.() === 0;
const confinements: Confinement[] = [
  ...(noBubblewrap ? [] : (['user-namespace'] as const)),
  ...(noBubblewrap || !isRoot ? [] : (['root-namespaces'] as const)),
  'user-only',
];

describe.each(confinements)('within the bounds of %s,', (confinement) => {
  const open = () => openCodeSandbox({ confinement });

  const offset = confinements.indexOf(confinement);
  const hogs = [
    ['outside of the heap', 'const all = []; for (;;) all.push(Buffer.alloc(20e6, 1));'],
    ['in the heap', 'const all = []; for (;;) all.push(Array(1e6).fill(0).map((_, i) => ({ i })));'],
  ] as const;
  test.each(sampleOf(hogs, 2, offset))(
    'a task that takes all memory %s fails, and the other one does not',
    async (_, hog) => {
      const { run } = await open();
      const failing = run(hog).catch((error: unknown) => error);
      const other = run('await new Promise((resolve) => setTimeout(resolve, 500)); return "done"');
      expect(await other).toBe('done');
      // Node throws a RangeError where memory outside of the heap is refused, and ends where the heap is
      // full.
      expect(await failing).toMatchObject({ fault: expect.stringMatching(/died|memory|threw/) });
      expect(await run('return 1')).toBe(1);
    },
  );

  test('many processes that share the memory fail by the sum', async () => {
    const { run } = await open();
    const code = `
      const hog = 'const all = []; for (let i = 0; i < 6; i++) all.push(Buffer.alloc(20e6, 1)); setTimeout(() => all, 60000)';
      for (let i = 0; i < 3; i++) require('node:child_process').spawn(process.execPath, ['-e', hog], { stdio: 'ignore' });
      await new Promise((resolve) => setTimeout(resolve, 60000));`;
    await expect(run(code)).rejects.toEqual(died('memory'));
  });

  test('a task fails when its process ends, even if another one keeps the pipes open', async () => {
    const { run } = await open();
    const code = `
      const stdio = [0, 1, 2, 3];
      require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60000)'], { stdio });
      setTimeout(() => process.exit(7), 300);
      await new Promise((resolve) => setTimeout(resolve, 60000));`;
    await expect(run(code)).rejects.toEqual(died('died'));
  });

  test('a fork bomb is bounded and ends with its task', async () => {
    const { run, sandbox } = await open();
    const code = `
      const { spawn } = require('node:child_process');
      const codes = [];
      for (let i = 0; i < 200; i++) {
        const child = spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60000)'], { stdio: 'ignore' });
        child.on('error', ({ code }) => codes.push(code));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return codes.length;`;
    const pids: number[] = [];
    let isRunning = true;
    const running = run(code)
      .catch((error: unknown) => error)
      .finally(() => {
        isRunning = false;
      });
    while (isRunning) {
      for (const pid of sandbox.pids) {
        if (!pids.includes(pid)) pids.push(pid);
        expect(measureTree(pid).processes).toBeLessThan(200);
      }
      await sleep(20);
    }
    const outcome = await running;
    expect(typeof outcome === 'number' ? outcome : (outcome as { fault: string }).fault).toSatisfy(
      (value: unknown) =>
        typeof value === 'number' ? value > 100 : ['processes', 'memory', 'died'].includes(String(value)),
    );
    await allEnded(pids);
    expect(await run('return 1')).toBe(1);
  });

  test('an endless loop is ended by the signal, whose reason is thrown', async () => {
    const { run, sandbox } = await open();
    const controller = new AbortController();
    const running = run('for (;;);', { signal: controller.signal });
    const [pid = 0] = await pollUntil(() => sandbox.pids.length > 0 && sandbox.pids);
    controller.abort(new Error('no time left'));
    await expect(running).rejects.toThrow('no time left');
    await allEnded([pid]);
    expect(sandbox.pids).toEqual([]);
  });

  // The confinement has no part in these, so the confinements share them in a sample.
  const wrongOutputs = [
    ['a long result', 'return "x".repeat(2e6)'],
    [
      'parts of any announced length',
      'const json = Buffer.from(JSON.stringify({ header: {}, parts: [4e9] })); const length = Buffer.alloc(4); length.writeUInt32BE(json.length); require("node:fs").writeSync(3, Buffer.concat([length, json])); await new Promise(() => 0)',
    ],
    ['an endless result', 'for (;;) require("node:fs").writeSync(3, Buffer.alloc(1e6, 0x20))'],
    [
      'something that is no frame',
      'require("node:fs").writeSync(3, Buffer.from([0, 0, 0, 2, 0x7b, 0x7d])); await new Promise(() => 0)',
    ],
    ['endless progress', 'for (;;) report("x".repeat(10000))'],
    [
      'a result with more behind it',
      'const json = Buffer.from(JSON.stringify({ header: { value: 1 }, parts: [] })); const length = Buffer.alloc(4); length.writeUInt32BE(json.length); require("node:fs").writeSync(3, Buffer.concat([length, json, Buffer.from("more")])); await new Promise(() => 0)',
    ],
    ['an endless log', 'for (;;) require("node:fs").writeSync(1, Buffer.alloc(1e6, 0x20))'],
    ['endless errors', 'for (;;) require("node:fs").writeSync(2, Buffer.alloc(1e6, 0x20))'],
  ] as const;
  test.each(sampleOf(wrongOutputs, confinements.length, offset))(
    'a task that writes %s fails at once',
    async (_, code) => {
      const { run, warnings } = await open();
      await expect(run(code)).rejects.toEqual(died('output'));
      expect(warnings).toEqual([]);
      expect(await run('return 1')).toBe(1);
    },
  );
});

test('binary parts arrive as they were sent', async () => {
  const { run } = await openCodeSandbox();
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, place) => place % 251));
  const code =
    'return require("node:crypto").createHash("md5").update(parts[1]).digest("hex") + parts[0].length';
  const { createHash } = await import('node:crypto');
  expect(await run(code, { parts: [new Uint8Array(3), bytes] })).toBe(
    `${createHash('md5').update(bytes).digest('hex')}3`,
  );
});

test('progress is reported in order and before the result, which it does not disturb', async () => {
  const { run } = await openCodeSandbox();
  const reports: unknown[] = [];
  const code = 'for (let page = 1; page <= 300; page++) report({ page }); return "result"';
  expect(await run(code, { onProgress: (report) => reports.push(report) })).toBe('result');
  // The first one says that the task has begun.
  expect(reports).toEqual([undefined, ...Array.from({ length: 300 }, (_, index) => ({ page: index + 1 }))]);
});

test('what libraries print does not disturb the result', async () => {
  const { run } = await openCodeSandbox();
  expect(await run('console.log("printed"); console.error("printed"); return "result"')).toBe('result');
});

describe('processes', () => {
  test('stay warm, and are replaced after some tasks', async () => {
    const { run } = await openCodeSandbox({ processes: 1, tasksPerProcess: 3 });
    const counts: unknown[] = [];
    for (let task = 0; task < 5; task++) counts.push(await run('return tasks'));
    expect(counts).toEqual([0, 1, 2, 0, 1]);
  });

  test.each([1, 2])('of one tenant show nothing to the tasks of another: %i at once', async (processes) => {
    const { run } = await openCodeSandbox({ processes });
    // What a document that has taken control of its process would do.
    await run('globalThis.planted = (bytes) => "of " + bytes', { owner: 'a' });
    const look = 'return [tasks, globalThis.planted?.("the next document") ?? "nothing"]';
    expect(await run(look, { owner: 'b' })).toEqual([0, 'nothing']);
    expect(await run(look, { owner: 'b' })).toEqual([1, 'nothing']);
    expect(await run(look, { owner: 'a' })).toEqual(
      processes === 1 ? [0, 'nothing'] : [1, 'of the next document'],
    );
  });

  test('are shared by the owners of one tenant', async () => {
    const { run } = await openCodeSandbox({ processes: 1 });
    expect(await run('return tasks', { owner: 'jobs of a', tenant: 'a' })).toBe(0);
    expect(await run('return tasks', { owner: 'a', tenant: 'a' })).toBe(1);
  });

  test('are no more than tasks at once, however many tenants there are', async () => {
    const { run, sandbox } = await openCodeSandbox({ processes: 2 });
    for (const owner of ['a', 'b', 'c', 'd']) await run('return tasks', { owner });
    expect(sandbox.pids).toHaveLength(2);
  });

  test('are replaced after an error, which is not retried', async () => {
    const { run, warnings } = await openCodeSandbox({ processes: 1 });
    await expect(run('throw new TypeError("broken")')).rejects.toMatchObject({
      fault: 'threw',
      details: expect.stringContaining('TypeError: broken'),
    });
    expect(warnings).toEqual([]);
    expect(await run('return tasks')).toBe(0);
  });

  test.skipIf(noBubblewrap)('are replaced if a task left processes behind', async () => {
    const { run } = await openCodeSandbox({ processes: 1 });
    const code =
      'require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => 0, 60000)"], { stdio: "ignore", detached: true }).unref(); await new Promise((resolve) => setTimeout(resolve, 300)); return tasks';
    expect(await run(code)).toBe(0);
    expect(await run('return tasks')).toBe(0);
  });

  test.skipIf(noBubblewrap)(
    'are also replaced if a short task among others left processes behind',
    async () => {
      const { run } = await openCodeSandbox({ processes: 1 });
      expect(await run('return tasks')).toBe(0);
      const code =
        'require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => 0, 60000)"], { stdio: "ignore", detached: true }).unref(); return tasks';
      expect(await run(code)).toBe(1);
      await expect.poll(() => run('return tasks')).toBe(0);
    },
  );

  test('that die have their task retried once in a fresh process', async () => {
    const { run, warnings } = await openCodeSandbox({ processes: 1 });
    expect(await run('return tasks')).toBe(0);
    expect(await run('if (tasks > 0) process.abort(); return "second attempt"')).toBe('second attempt');
    expect(warnings).toHaveLength(1);
    await expect(run('process.abort()')).rejects.toEqual(died('died'));
    expect(warnings).toHaveLength(2);
  });

  const KILL = 'process.kill(process.pid, "SIGKILL")';

  test('that the kernel ends for lack of memory have their task tried again without another one beside it', async () => {
    let kills = 0;
    const { run, warnings } = await openCodeSandbox({ countKills: () => kills++ });
    const other = run('await new Promise((resolve) => setTimeout(resolve, 500)); return "other"');
    const both = [run(`if (!parts.length) return 0; ${KILL}`, { parts: [Buffer.of(1)] }), other];
    const [failed, done] = await Promise.allSettled(both);
    expect(failed).toMatchObject({ reason: died('memory-short') });
    expect(done).toMatchObject({ value: 'other' });
    expect(warnings).toEqual([expect.objectContaining({ fault: 'memory-short' })]);
  });

  test('that somebody else kills did not run out of memory', async () => {
    const { run } = await openCodeSandbox({ countKills: () => 7 });
    await expect(run(KILL)).rejects.toEqual(died('died'));
  });

  test.skipIf(process.platform !== 'linux')('end before the service when memory is short', async () => {
    const { run } = await openCodeSandbox();
    const score = await run(
      'return require("node:fs").readFileSync("/proc/self/oom_score_adj", "utf8").trim()',
    );
    expect(score).toBe('500');
  });

  test('that are killed from outside cost only time', async () => {
    const { run, sandbox } = await openCodeSandbox();
    const running = run('await new Promise((resolve) => setTimeout(resolve, 1000)); return "done"');
    const [pid = 0] = await pollUntil(() => sandbox.pids.length > 0 && sandbox.pids);
    process.kill(pid, 'SIGKILL');
    expect(await running).toBe('done');
  });

  test('end when there is no work', async () => {
    const { run, sandbox } = await openCodeSandbox({ idleMs: 100 });
    await run('return 1');
    const pids = sandbox.pids;
    expect(pids).toHaveLength(1);
    await allEnded(pids);
    expect(sandbox.pids).toEqual([]);
    expect(await run('return 3')).toBe(3);
  });

  test('are not more than configured: further tasks wait, and can be cancelled', async () => {
    const { run, sandbox } = await openCodeSandbox({ processes: 1 });
    const slow = run('await new Promise((resolve) => setTimeout(resolve, 500)); return "slow"');
    const controller = new AbortController();
    const cancelled = run('return "cancelled"', { signal: controller.signal });
    const waiting = run('return "waiting"');
    controller.abort(new Error('not needed'));
    await expect(cancelled).rejects.toThrow('not needed');
    await pollUntil(() => sandbox.pids.length > 0);
    expect(sandbox.pids).toHaveLength(1);
    expect(await Promise.all([slow, waiting])).toEqual(['slow', 'waiting']);
  });

  test('end when the sandbox is closed, and their tasks fail', async () => {
    const { run, sandbox } = await openCodeSandbox();
    const running = run('for (;;);').catch((error: unknown) => error);
    const pids = await pollUntil(() => sandbox.pids.length > 0 && sandbox.pids);
    await sandbox.close();
    expect(await running).toEqual(died('died'));
    await allEnded(pids);
  });
});

test.each(confinements)(
  'no process outlives the service, even in an endless loop (%s)',
  async (confinement) => {
    const { spawn } = await import('node:child_process');
    const owner = spawn(process.execPath, [`${import.meta.dirname}/owner.ts`, confinement], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    owner.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const pids = await pollUntil(() => printed.endsWith('\n') && (JSON.parse(printed) as number[]));
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.every(exists)).toBe(true);
    owner.kill('SIGKILL');
    await allEnded(pids);
  },
);

describe('long tasks', () => {
  const endless = () => {
    const controller = new AbortController();
    return { signal: controller.signal, end: () => controller.abort(new Error('ended')) };
  };

  test('leave their place to other tasks', async () => {
    const { run } = await openCodeSandbox({ processes: 1, longTaskMs: 300 });
    const { signal, end } = endless();
    const long = run('for (;;);', { signal }).catch((error: unknown) => error);
    expect(await run('return 1')).toBe(1);
    expect(await run('return 2')).toBe(2);
    end();
    expect(await long).toMatchObject({ message: 'ended' });
    expect(await run('return 3')).toBe(3);
  });

  test('are at most as many besides the others as there are processes', async () => {
    const { run, sandbox } = await openCodeSandbox({ processes: 1, longTaskMs: 300 });
    const tasks = [endless(), endless(), endless()];
    let begun = 0;
    const onProgress = () => void begun++;
    const running = tasks.map(({ signal }) =>
      run('for (;;);', { signal, onProgress }).catch((error: unknown) => error),
    );
    await expect.poll(() => begun).toBe(2);
    // Long enough for the second one to be a long task too.
    await sleep(1_000);
    expect([begun, sandbox.pids.length]).toEqual([2, 2]);
    for (const { end } of tasks) end();
    await Promise.all(running);
    expect(await run('return 1')).toBe(1);
  });
});

import { EventEmitter } from 'node:events';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { CodeResult } from '../../src/schemas/session.ts';
import { SessionCounters } from '../../src/sessions/session-counters.ts';
import { createSessionMetrics } from '../../src/sessions/session-metrics.ts';

const done = { exitCode: 0, killed: false } as CodeResult;

function startCounters() {
  const registry = new Registry();
  return { counters: new SessionCounters(createSessionMetrics(registry)), registry };
}

it('a session is active and has a client while a call runs, and its end can be awaited', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
  try {
    const { counters, registry } = startCounters();
    const { promise, resolve } = Promise.withResolvers<CodeResult>();
    const call = counters.runPrompt(() => promise);
    let hasEnded = false;
    const ended = counters.callsEnded().then(() => {
      hasEnded = true;
    });
    vi.setSystemTime(2_000);
    expect([counters.lastActivityAt, counters.hasClients, hasEnded]).toEqual([2_000, true, false]);
    resolve(done);
    await Promise.all([call, ended]);
    vi.setSystemTime(3_000);
    expect([counters.lastActivityAt, counters.hasClients]).toEqual([2_000, false]);
    expect(counters.usage(0)).toMatchObject({ calls: 1, prompts: 1 });
    expect(await registry.metrics()).toContain(
      'winnow_session_call_seconds_count{language="prompt",outcome="succeeded"} 1',
    );
  } finally {
    vi.useRealTimers();
  }
});

it('a call that fails before it has begun is counted as refused', async () => {
  const { counters, registry } = startCounters();
  const failing = counters.runCall('node', () => Promise.reject(new Error('There is no Node.')));
  await expect(failing).rejects.toThrow('There is no Node.');
  expect([counters.hasClients, counters.usage(0).calls]).toEqual([false, 1]);
  expect(await registry.metrics()).toContain(
    'winnow_session_call_seconds_count{language="node",outcome="refused"} 1',
  );
});

it('a session knows its viewers, the most that there were at once, and its clients', async () => {
  const { counters, registry } = startCounters();
  for (const count of [1, 3, 2]) counters.setViewers(count);
  const socket = new EventEmitter();
  counters.addClient(socket as WebSocket);
  expect(counters.hasClients).toBe(true);
  socket.emit('close');
  expect(counters.hasClients).toBe(false);
  expect(counters.usage(7)).toEqual({
    calls: 0,
    prompts: 0,
    promptSteps: {},
    clients: 7,
    viewers: 2,
    mostViewers: 3,
  });
  expect(await registry.metrics()).toContain('winnow_session_viewers 2');
});

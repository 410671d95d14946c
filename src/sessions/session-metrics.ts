import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** How a call of code ended: it was refused before the code began, or the code succeeded, failed, or ran into its timeout. */
export type CallOutcome = 'refused' | 'succeeded' | 'failed' | 'killed';

/** The metrics of the browser sessions of a process. */
export type SessionMetrics = ReturnType<typeof createSessionMetrics>;

/** Creates the metrics of the browser sessions of this process. */
export function createSessionMetrics(registry: Registry) {
  const registers = [registry];
  return {
    open: new Gauge({
      name: 'winnow_sessions_open',
      help: 'Browser sessions that run on this host, without the spare one',
      registers,
    }),
    ended: new Counter({
      name: 'winnow_sessions_ended_total',
      help: 'Browser sessions that have ended on this host, by reason',
      labelNames: ['reason'],
      registers,
    }),
    openSeconds: new Histogram({
      name: 'winnow_session_open_seconds',
      help: 'Time until a new session has its browser',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    }),
    callSeconds: new Histogram({
      name: 'winnow_session_call_seconds',
      help: 'Duration of calls of code in sessions, by language and outcome',
      labelNames: ['language', 'outcome'],
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
    protocolMessages: new Counter({
      name: 'winnow_session_protocol_messages_total',
      help: 'Messages of clients of the DevTools protocol',
      registers,
    }),
    viewers: new Gauge({
      name: 'winnow_session_viewers',
      help: 'Viewers of live views that are connected',
      registers,
    }),
    frames: new Counter({
      name: 'winnow_session_frames_total',
      help: 'Frames that Chromium has drawn for live views, each of which goes to all viewers of its session',
      registers,
    }),
  };
}

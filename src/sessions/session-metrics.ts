import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * How a call of code or a prompt ended: it was refused before it began, or it succeeded, failed, ran into its
 * timeout, or was killed because it used too much memory.
 */
export type CodeCallOutcome = 'refused' | 'succeeded' | 'failed' | 'killed' | 'memory';

/**
 * Whether a new session got its browser, was refused for lack of memory, or failed because no browser
 * started.
 */
export type OpenOutcome = 'succeeded' | 'refused' | 'failed';

/** The metrics of the browser sessions of a process. */
export type SessionMetrics = ReturnType<typeof createSessionMetrics>;

/** Creates the metrics of the browser sessions of this process. */
export function createSessionMetrics(registry: Registry) {
  const registers = [registry];
  /**
   * Asked for the resident memory of each session, in bytes, and whether there is memory for another,
   * whenever metrics are read.
   */
  const memory = { ofSessions: (): number[] => [], hasRoom: () => false };
  return {
    memory,
    room: new Gauge({
      name: 'winnow_session_room',
      help: 'Whether the host has memory for another session: 1 or 0',
      registers,
      collect() {
        this.set(memory.hasRoom() ? 1 : 0);
      },
    }),
    residentBytes: new Gauge({
      name: 'winnow_session_resident_bytes',
      help: 'Resident memory of the browsers and programs of sessions, of all together and of the largest one; memory that processes share counts for each',
      labelNames: ['of'],
      registers,
      collect() {
        const sessions = memory.ofSessions();
        this.set(
          { of: 'all' },
          sessions.reduce((sum, bytes) => sum + bytes, 0),
        );
        this.set({ of: 'largest' }, Math.max(0, ...sessions));
      },
    }),
    profileSaveSeconds: new Histogram({
      name: 'winnow_session_profile_save_seconds',
      help: 'Time to save the profile of a session, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
      registers,
    }),
    profileBytes: new Histogram({
      name: 'winnow_session_profile_bytes',
      help: 'Size of saved profiles of sessions before they are compressed',
      buckets: [1_000, 10_000, 100_000, 1_000_000, 10_000_000],
      registers,
    }),
    orphans: new Counter({
      name: 'winnow_session_orphans_removed_total',
      help: 'Directories of sessions whose host had been killed, which this host has removed',
      registers,
    }),
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
      help: 'Time until a new session has its browser, or fails, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    }),
    replaySeconds: new Histogram({
      name: 'winnow_session_replay_seconds',
      help: 'Time to open the page of a scrape again in a new session, by outcome',
      labelNames: ['outcome'],
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
    callSeconds: new Histogram({
      name: 'winnow_session_call_seconds',
      help: 'Duration of calls of code in sessions, by language and outcome; prompts have the language prompt',
      labelNames: ['language', 'outcome'],
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
    promptSteps: new Counter({
      name: 'winnow_session_prompt_steps_total',
      help: 'Calls of tools by prompts in sessions, by tool',
      labelNames: ['tool'],
      registers,
    }),
    protocolMessages: new Counter({
      name: 'winnow_session_protocol_messages_total',
      help: 'Messages of clients of the DevTools protocol',
      registers,
    }),
    protocolBytes: new Counter({
      name: 'winnow_session_protocol_bytes_total',
      help: 'Bytes of the messages that clients of the DevTools protocol send and receive',
      labelNames: ['direction'],
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

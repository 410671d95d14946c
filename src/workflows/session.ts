import { type ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { type ErrorCode, ServiceError, toServiceError } from '../errors.ts';
import type { SessionEndReason } from '../schemas/session-end.ts';
import type { SessionUsage } from '../sessions/session-usage.ts';
import type { SessionOutcome } from '../storage/db/sessions.ts';
import { hostSteps, sessionSteps } from './activities.ts';
import { logFailure, toFailure } from './failure.ts';
import { Outcome } from './search-attributes.ts';
import { describeSession } from './session-details.ts';
import { extendSession, sessionOpened, stopSession, touchSession } from './signals.ts';

/** The input of the workflow of a browser session. Everything else is in the database. */
export interface SessionInput {
  sessionId: string;
  /** End of its lifetime, in milliseconds since 1970. */
  expiresAt: number;
  /** Milliseconds without activity after which it ends. */
  activityTtlMs: number;
  /**
   * The task queue of the host that starts its browser: the API has asked it, or it still has the page of its
   * scrape open.
   */
  hostQueue?: string | undefined;
}

/**
 * Runs a browser session: starts its browser, and ends it when it is deleted, when one of its times is over,
 * or when its browser or host dies. The update `opened` waits until the browser can be used.
 * @returns the duration and the price of the session
 */
export async function browser(input: SessionInput): Promise<SessionOutcome | undefined> {
  const session = new SessionState(input);
  // A cancelled workflow still ends its browser and bills it.
  CancellationScope.current().cancelRequested.catch(() => session.stop());
  return CancellationScope.nonCancellable(() => session.run());
}

/** How long after a host did not end a session it is asked again, in milliseconds. */
const STOP_AGAIN_MS = 2_000;

/** The search attribute of sessions that were in use and did not end as they should. */
const OUTCOMES: Partial<Record<SessionEndReason, ErrorCode>> = {
  crashed: 'SESSION_FAILED',
  memory: 'SESSION_FAILED',
  disk: 'SESSION_FAILED',
  lost: 'WORKER_LOST',
};

/** The error of those who wait for a session that is deleted before its browser has started. */
const deletedError = (id: string) =>
  new ServiceError('SESSION_DESTROYED', `The browser session ${id} was deleted while it started.`);

/**
 * The remedy when a host did not start a session: the first host that takes it, or one that was not tried
 * before.
 */
function wayOutOf(error: unknown): 'any host' | 'other host' | undefined {
  const { code } = toServiceError(error);
  const hasDied = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
  // It has died or stops. After a restart it may take the session itself.
  if (hasDied || code === 'SERVICE_UNAVAILABLE') return 'any host';
  // It has too little memory, or its browser did not start.
  return code === 'SESSION_LIMIT_REACHED' || code === 'SESSION_FAILED' ? 'other host' : undefined;
}

class SessionState {
  readonly #input: SessionInput;
  /** The end of its lifetime, which may be extended. */
  #expiresAt: number;
  /** The task queue of the host that starts the browser; `undefined` for any. */
  #startQueue: string | undefined;
  /** The start of the browser, which ends when the session is deleted meanwhile. */
  readonly #starting = new CancellationScope();
  #isOpen = false;
  #failure: ApplicationFailure | undefined;
  #isStopRequested = false;
  #lastActivityAt = Date.now();
  #reason: SessionEndReason | undefined;
  #usage: SessionUsage | undefined;

  constructor(input: SessionInput) {
    this.#input = input;
    this.#expiresAt = input.expiresAt;
    this.#startQueue = input.hostQueue;
    setHandler(sessionOpened, async () => {
      await condition(() => this.#isOpen || this.#failure !== undefined);
      if (this.#failure) throw this.#failure;
    });
    setHandler(stopSession, () => this.stop());
    setHandler(extendSession, (expiresAt) => {
      this.#expiresAt = Math.max(this.#expiresAt, expiresAt);
      this.#showState();
    });
    setHandler(touchSession, (at, usage) => {
      this.#lastActivityAt = Math.max(this.#lastActivityAt, at);
      this.#usage = usage ?? this.#usage;
      this.#showState();
    });
  }

  stop(): void {
    this.#isStopRequested = true;
    this.#starting.cancel();
  }

  async run(): Promise<SessionOutcome | undefined> {
    const { sessionId } = this.#input;
    this.#showState();
    try {
      const { queue } = await this.#starting.run(() => this.#start());
      this.#isOpen = true;
      await this.#keep(queue);
    } catch (error) {
      if (!isCancellation(error)) return await this.#fail(error);
      await this.#stopStart();
      this.#reason = 'deleted';
      this.#failure = toFailure(deletedError(sessionId));
    }
    const reason = this.#reason ?? 'lost';
    const outcome = await sessionSteps.settleSession(sessionId, reason);
    const code = OUTCOMES[reason];
    if (code && patched('session-outcome')) upsertSearchAttributes([{ key: Outcome, value: code }]);
    setCurrentDetails(describeSession({ reason, outcome, usage: this.#usage }));
    await condition(allHandlersFinished);
    return outcome;
  }

  /** Ends a session whose browser did not start. @throws ApplicationFailure with the reason */
  async #fail(error: unknown): Promise<never> {
    const reason = logFailure(toServiceError(error));
    this.#failure = toFailure(reason);
    upsertSearchAttributes([{ key: Outcome, value: reason.code }]);
    // A host that has died may have opened it for its user.
    const end = reason.code === 'WORKER_LOST' ? 'lost' : 'failed';
    const outcome = await sessionSteps.settleSession(this.#input.sessionId, end);
    setCurrentDetails(describeSession({ reason: end, outcome }));
    await condition(allHandlersFinished);
    throw this.#failure;
  }

  /**
   * Starts the browser, on the host that the input names if there is one, and on another one if that cannot.
   * A host never opens a session that another one has opened for its user.
   */
  async #start(): Promise<{ queue: string }> {
    const { sessionId } = this.#input;
    const triedQueues: string[] = [];
    for (;;) {
      const queue = this.#startQueue;
      if (queue !== undefined) triedQueues.push(queue);
      const { startSession } = queue === undefined ? sessionSteps : hostSteps(queue);
      try {
        return await startSession(sessionId);
      } catch (error) {
        const wayOut = wayOutOf(error);
        if (wayOut === 'any host' && queue !== undefined) this.#startQueue = undefined;
        else if (wayOut === 'other host') {
          this.#startQueue = await sessionSteps.findOtherHost(triedQueues);
          if (this.#startQueue === undefined) throw error;
        } else throw error;
      }
    }
  }

  /** Ends the browser that a host may have started for the API, although the start was cancelled here. */
  async #stopStart(): Promise<void> {
    const { sessionId } = this.#input;
    if (this.#startQueue === undefined) return;
    await hostSteps(this.#startQueue)
      .stopSession(sessionId, 'deleted', this.#lastActivityAt)
      // The host has died, and the browser with it.
      .catch(() => undefined);
  }

  /** Shows the state and the use of the session in the Temporal UI. */
  #showState(): void {
    const { activityTtlMs } = this.#input;
    const times = { expiresAt: this.#expiresAt, activityTtlMs, lastActivityAt: this.#lastActivityAt };
    setCurrentDetails(describeSession({ isOpen: this.#isOpen, usage: this.#usage, ...times }));
  }

  /** Keeps the session on its host until it ends. */
  async #keep(queue: string): Promise<void> {
    const { sessionId, activityTtlMs } = this.#input;
    const host = hostSteps(queue);
    this.#lastActivityAt = Date.now();
    this.#showState();
    const kept = host.keepSession(sessionId, activityTtlMs).then(
      ({ reason, usage }) => {
        this.#reason ??= reason;
        this.#usage = usage ?? this.#usage;
      },
      // Its heartbeats have stopped: the host has died.
      () => {
        this.#reason ??= 'lost';
      },
    );
    while (!this.#reason) {
      const reason = await this.#nextReason();
      if (!reason) continue;
      await host.stopSession(sessionId, reason, this.#lastActivityAt).then(
        (activeAt) => {
          if (activeAt === undefined) this.#reason ??= reason;
          else this.#lastActivityAt = activeAt;
        },
        // When the host has died, the activity above fails as well. One that lives may have lost its
        // connection for a while.
        () => (patched('session-stopped-again') ? Promise.race([kept, sleep(STOP_AGAIN_MS)]) : kept),
      );
    }
    // It knows how the session was used.
    await kept;
  }

  /** Waits for the next moment at which the session may have to end. @returns the reason, if it has to */
  async #nextReason(): Promise<SessionEndReason | undefined> {
    const { activityTtlMs } = this.#input;
    const expiresAt = this.#expiresAt;
    const deadline = Math.min(expiresAt, this.#lastActivityAt + activityTtlMs);
    await condition(
      () => this.#isStopRequested || this.#reason !== undefined || this.#expiresAt !== expiresAt,
      Math.max(1, deadline - Date.now()),
    );
    if (this.#reason) return undefined;
    if (this.#isStopRequested) return 'deleted';
    if (Date.now() >= this.#expiresAt) return 'ttl';
    return Date.now() >= this.#lastActivityAt + activityTtlMs ? 'idle' : undefined;
  }
}

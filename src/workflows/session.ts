import type { ApplicationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { SessionOutcome } from '../db/sessions.ts';
import { policyOf, toServiceError } from '../errors.ts';
import type { SessionEndReason } from '../schemas/session-end.ts';
import { hostActivities, sessionSteps } from './activities.ts';
import { logFailure, toFailure } from './failure.ts';
import { sessionOpened, stopSession, touchSession } from './signals.ts';

/** The input of the workflow of a browser session. Everything else is in the database. */
export interface SessionInput {
  sessionId: string;
  /** End of its lifetime, in milliseconds since 1970. */
  expiresAt: number;
  /** Milliseconds without activity after which it ends. */
  activityTtlMs: number;
  /** The task queue of the host that the API has asked to open the session. */
  hostQueue?: string;
}

/**
 * Runs a browser session: starts its browser, and ends it when it is deleted, when one of its times is over, or when its
 * browser or host dies. The update `opened` waits until the browser can be used.
 * @returns the duration and the price of the session
 */
export async function browser(input: SessionInput): Promise<SessionOutcome | undefined> {
  const session = new SessionState(input);
  // A cancelled workflow still ends its browser and bills it.
  CancellationScope.current().cancelRequested.catch(() => session.stop());
  return CancellationScope.nonCancellable(() => session.run());
}

class SessionState {
  readonly #input: SessionInput;
  #isOpen = false;
  #failure: ApplicationFailure | undefined;
  #isStopRequested = false;
  #lastActivityAt = Date.now();
  #reason: SessionEndReason | undefined;

  constructor(input: SessionInput) {
    this.#input = input;
    setHandler(sessionOpened, async () => {
      await condition(() => this.#isOpen || this.#failure !== undefined);
      if (this.#failure) throw this.#failure;
    });
    setHandler(stopSession, () => this.stop());
    setHandler(touchSession, (at) => {
      this.#lastActivityAt = Math.max(this.#lastActivityAt, at);
    });
  }

  stop(): void {
    this.#isStopRequested = true;
  }

  async run(): Promise<SessionOutcome | undefined> {
    const { sessionId } = this.#input;
    try {
      const { queue } = await this.#start();
      this.#isOpen = true;
      await this.#keep(queue);
    } catch (error) {
      const failure = logFailure(toServiceError(error));
      this.#failure = toFailure(failure);
      await sessionSteps.settleSession(sessionId, failure.code === 'WORKER_LOST' ? 'lost' : 'failed');
      await condition(allHandlersFinished);
      throw this.#failure;
    }
    const reason = this.#reason ?? 'lost';
    const outcome = await sessionSteps.settleSession(sessionId, reason);
    setCurrentDetails(describe(reason, outcome));
    await condition(allHandlersFinished);
    return outcome;
  }

  /** Starts the browser, on the host that the API has chosen if that host lives. @returns the task queue of its host */
  async #start(): Promise<{ queue: string }> {
    const { sessionId, hostQueue } = this.#input;
    if (hostQueue !== undefined) {
      try {
        return await hostActivities(hostQueue).startSession(sessionId);
      } catch (error) {
        if (!isWorthAnotherHost(error)) throw error;
      }
    }
    return sessionSteps.startSession(sessionId);
  }

  /** Keeps the session on its host until it ends. */
  async #keep(queue: string): Promise<void> {
    const { sessionId, activityTtlMs } = this.#input;
    const host = hostActivities(queue);
    this.#lastActivityAt = Date.now();
    const kept = host.keepSession(sessionId, activityTtlMs).then(
      (reason) => {
        this.#reason ??= reason;
      },
      // Its heartbeats have stopped: the host has died.
      () => {
        this.#reason ??= 'lost';
      },
    );
    while (!this.#reason) {
      const reason = await this.#nextReason();
      if (!reason) continue;
      // When the host has died, the activity above fails as well.
      await host.stopSession(sessionId, reason, this.#lastActivityAt).then(
        (activeAt) => {
          if (activeAt === undefined) this.#reason ??= reason;
          else this.#lastActivityAt = activeAt;
        },
        () => kept,
      );
    }
  }

  /** Waits for the next moment at which the session may have to end. @returns the reason, if it has to */
  async #nextReason(): Promise<SessionEndReason | undefined> {
    const { expiresAt, activityTtlMs } = this.#input;
    const deadline = Math.min(expiresAt, this.#lastActivityAt + activityTtlMs);
    await condition(
      () => this.#isStopRequested || this.#reason !== undefined,
      Math.max(1, deadline - Date.now()),
    );
    if (this.#reason) return undefined;
    if (this.#isStopRequested) return 'deleted';
    if (Date.now() >= expiresAt) return 'ttl';
    return Date.now() >= this.#lastActivityAt + activityTtlMs ? 'idle' : undefined;
  }
}

/** Whether a start has failed because its host has died or cannot reach the database. */
const isWorthAnotherHost = (error: unknown) => policyOf(toServiceError(error).code).retry === 'activity';

/** The text that the Temporal UI shows after a session. */
const describe = (reason: SessionEndReason, outcome: SessionOutcome | undefined) =>
  `**Ended: ${reason}**\n\n- ${Math.round((outcome?.durationMs ?? 0) / 1000)} seconds\n- ${outcome?.credits ?? 0} credits`;

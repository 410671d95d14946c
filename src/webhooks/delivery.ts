import type { Blobs } from '../blobs/index.ts';
import type { Database } from '../db/client.ts';
import {
  type DeliveryAttempt,
  type DueEvent,
  findWebhook,
  isJobRunning,
  listDueEvents,
  type PendingDeliveries,
  readPendingDeliveries,
  recordAttempt,
  type Webhook,
} from '../db/webhooks.ts';
import { type ErrorCode, policyOf, toServiceError } from '../errors.ts';
import type { Egress } from '../net/egress.ts';
import { post } from '../net/post.ts';
import { pause } from '../pause.ts';
import { buildEventRequest } from './event-request.ts';
import { retryInMs } from './retry-schedule.ts';

/** Dependencies of webhook deliveries. */
export interface WebhookDeps {
  db: Database;
  blobs: Blobs;
  egress: Egress;
  /** Decrypts jobs with zero data retention and signs the URLs of stored files. */
  secretKey: string;
}

/** One round of deliveries for one job. */
export interface DeliveryRound {
  jobId: string;
  /** Milliseconds after which no further event is sent. Deliveries that are under way are finished. */
  forMs: number;
  signal: AbortSignal;
  /**
   * Called when an event could not be sent because of an error in this service. The event is tried again.
   */
  onFault: (error: unknown, eventId: string) => void;
}

/**
 * The maximum numbers of first attempts and of retries under way at once. The limits are separate, so that
 * retries that hang do not hold up new events.
 */
const FIRSTS_AT_ONCE = 8;
const RETRIES_AT_ONCE = 4;
/** The maximum numbers of new events and of retries that one query reads. */
const ROWS_AT_ONCE = 100;
/** Milliseconds between two queries for new events, and between two queries for due retries. */
const LOOK_MS = 200;
const RETRY_LOOK_MS = 1_000;
const ATTEMPT_TIMEOUT_MS = 10_000;

/**
 * Sends the due events of a job for a limited time. While the job runs, it also waits for new events. First
 * attempts keep the order of the events: page events may be sent at the same time, but any other event is
 * sent only after all events before it and before all events after it.
 * @throws errors of the database, after which events that were sent but not recorded are sent again; the
 *   signal's reason
 */
export async function deliverDueEvents(deps: WebhookDeps, round: DeliveryRound): Promise<PendingDeliveries> {
  const webhook = await findWebhook(deps.db, round.jobId, deps.secretKey);
  if (!webhook) return { open: 0, nextDueInMs: undefined, jobEnded: true };
  await new WebhookDelivery(deps, webhook, round).run();
  return readPendingDeliveries(deps.db, round.jobId);
}

/** First attempts keep the order of the events; retries are made when they are due. */
const isFirst = ({ attempts }: DueEvent) => attempts === 0;
const isPage = ({ type }: DueEvent) => type.endsWith('.page');

class WebhookDelivery {
  readonly #deps: WebhookDeps;
  readonly #webhook: Webhook;
  readonly #round: DeliveryRound;
  #firsts: DueEvent[] = [];
  #retries: DueEvent[] = [];
  /** Sequence number of the last event that was read for its first attempt. */
  #after = 0;
  #lookAt = 0;
  #retryLookAt = 0;
  readonly #sending = new Map<DueEvent, Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(deps: WebhookDeps, webhook: Webhook, round: DeliveryRound) {
    this.#deps = deps;
    this.#webhook = webhook;
    this.#round = round;
  }

  async run(): Promise<void> {
    const { jobId, forMs, signal } = this.#round;
    const until = performance.now() + forMs;
    let ended = false;
    while (performance.now() < until && !this.#failure && !signal.aborted) {
      await this.#look();
      this.#begin();
      if (this.#sending.size > 0) {
        await this.#rest();
      } else if (ended) {
        break;
      } else if (await isJobRunning(this.#deps.db, jobId)) {
        await this.#rest();
      } else {
        // The job may have written its last events since the last query, so there is one more.
        ended = true;
        this.#lookAt = 0;
        this.#retryLookAt = 0;
      }
    }
    await Promise.all(this.#sending.values());
    if (this.#failure) throw this.#failure.error;
  }

  /** Queries the due events of each kind, once those of the previous query have been started. */
  async #look(): Promise<void> {
    const now = performance.now();
    const firsts = this.#firsts.length === 0 && now >= this.#lookAt;
    const retries = this.#retries.length === 0 && now >= this.#retryLookAt;
    if (!firsts && !retries) return;
    const due = await listDueEvents(this.#deps.db, {
      jobId: this.#round.jobId,
      after: this.#after,
      maxNew: firsts ? ROWS_AT_ONCE : 0,
      maxRetries: retries ? ROWS_AT_ONCE : 0,
      excludedIds: [...this.#sending.keys()].map(({ id }) => id),
    });
    // A full result means that there may be more, so the next query need not wait.
    if (firsts) {
      this.#firsts = due.filter(isFirst);
      this.#after = this.#firsts.at(-1)?.sequence ?? this.#after;
      this.#lookAt = this.#firsts.length < ROWS_AT_ONCE ? now + LOOK_MS : now;
    }
    if (retries) {
      this.#retries = due.filter((event) => !isFirst(event));
      this.#retryLookAt = this.#retries.length < ROWS_AT_ONCE ? now + RETRY_LOOK_MS : now;
    }
  }

  #begin(): void {
    const sending = [...this.#sending.keys()];
    const firsts = sending.filter(isFirst);
    for (const event of this.#firsts.slice(0, FIRSTS_AT_ONCE - firsts.length)) {
      // An event of the job itself waits for all events before it, and all events after it wait for it.
      if (firsts.some((other) => !isPage(other) || !isPage(event))) break;
      firsts.push(event);
      this.#firsts.shift();
      this.#send(event);
    }
    const room = RETRIES_AT_ONCE - sending.filter((event) => !isFirst(event)).length;
    for (const event of this.#retries.splice(0, room)) this.#send(event);
  }

  #send(event: DueEvent): void {
    const { db } = this.#deps;
    const done = this.#attempt(event)
      .then((attempt) => recordAttempt(db, attempt))
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#sending.delete(event));
    this.#sending.set(event, done);
  }

  async #attempt(event: DueEvent): Promise<DeliveryAttempt> {
    const { id, attempts } = event;
    const { jobId, signal, onFault } = this.#round;
    const { url } = this.#webhook.target;
    const retry = { id, delivered: false, responseStatus: null, retryInMs: retryInMs(attempts + 1) };
    try {
      const wire = await buildEventRequest(event, { jobId, webhook: this.#webhook, ...this.#deps });
      const statusCode = await post(this.#deps.egress, {
        url,
        ...wire,
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        signal,
      });
      const answer = { ...retry, responseStatus: statusCode };
      if (statusCode >= 200 && statusCode < 300) return { ...answer, delivered: true, error: null };
      return {
        ...answer,
        error: `The receiver answered with HTTP ${statusCode}; 200 to 299 means received.`,
      };
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toServiceError(thrown);
      const { encrypts } = this.#webhook.cipher;
      if (error.code === 'UNKNOWN_ERROR') onFault(encrypts ? error.code : thrown, id);
      const reason = encrypts ? `The receiver was not reached (${error.code}).` : error.message;
      return { ...retry, error: reason, ...(isFinal(error.code) && { retryInMs: undefined }) };
    }
  }

  /** Waits until a delivery ends, or until it is time for the next query. */
  async #rest(): Promise<void> {
    const timer = new AbortController();
    await Promise.race([pause(LOOK_MS, timer.signal), ...this.#sending.values()]);
    timer.abort();
  }
}

/**
 * Whether a delivery that failed with this error is never retried, because its URL or the request itself is
 * wrong.
 */
function isFinal(code: ErrorCode): boolean {
  const { status, retry } = policyOf(code);
  return retry === 'never' && status >= 400 && status < 500;
}

import { Counter } from 'prom-client';
import { type ErrorCode, policyOf, toServiceError } from '../../errors.ts';
import type { Egress } from '../../fetch/net/checked-egress.ts';
import { post } from '../../fetch/net/post.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { type DueEvent, listDueEvents } from '../../storage/db/webhook-events.ts';
import {
  type DeliveryAttempt,
  findWebhook,
  isJobRunning,
  type PendingDeliveries,
  readPendingDeliveries,
  recordAttempt,
  type Webhook,
} from '../../storage/db/webhooks.ts';
import { pause } from '../../system/pause.ts';
import { inSpan } from '../../system/tracing.ts';
import { buildEventRequest } from './event-request.ts';
import { retryInMs } from './retry-schedule.ts';

/** The attempts of this process to deliver events. A registry takes the counter in. */
export const deliveries = new Counter({
  name: 'winnow_deliveries_total',
  help: 'Attempts to deliver webhook events, by outcome: delivered, retried later, or failed for good',
  labelNames: ['outcome'],
  registers: [],
});

/** Dependencies of webhook deliveries. */
export interface WebhookDeps {
  db: Database;
  results: Blobs;
  /** What checks of monitors have found. */
  monitorBlobs: Blobs;
  egress: Egress;
  /** Decrypts jobs with zero data retention and signs the URLs of stored files. */
  secretKey: string;
}

/** One round of deliveries for one job. */
export interface DeliveryRound {
  jobId: string;
  /** Milliseconds after which no further event is sent. Deliveries that are under way are finished. */
  durationMs: number;
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
const MAX_FIRST_ATTEMPTS = 8;
const MAX_RETRIES = 4;
/** The maximum numbers of new events and of retries that one query reads. */
const EVENTS_PER_QUERY = 100;
/** Milliseconds between two queries for new events, and between two queries for due retries. */
const QUERY_PAUSE_MS = 200;
const RETRY_QUERY_PAUSE_MS = 1_000;
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
const isFirstAttempt = ({ attempts }: DueEvent) => attempts === 0;
const isPageEvent = ({ type }: DueEvent) => type.endsWith('.page');

/** The receiver was not asked, so this is no attempt: the round is repeated. */
class StoresUnavailable extends Error {}

/** One round of deliveries. */
class WebhookDelivery {
  readonly #deps: WebhookDeps;
  readonly #webhook: Webhook;
  readonly #round: DeliveryRound;
  #newEvents: DueEvent[] = [];
  #retries: DueEvent[] = [];
  /** Sequence number of the last event that was read for its first attempt. */
  #lastSequence = 0;
  #nextQueryAt = 0;
  #nextRetryQueryAt = 0;
  readonly #sending = new Map<DueEvent, Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(deps: WebhookDeps, webhook: Webhook, round: DeliveryRound) {
    this.#deps = deps;
    this.#webhook = webhook;
    this.#round = round;
  }

  async run(): Promise<void> {
    const { jobId, durationMs, signal } = this.#round;
    const until = performance.now() + durationMs;
    let isLastQueryDone = false;
    while (performance.now() < until && !this.#failure && !signal.aborted) {
      await this.#queryDueEvents();
      this.#sendDueEvents();
      if (this.#sending.size > 0) {
        await this.#waitForChange();
      } else if (isLastQueryDone) {
        break;
      } else if (await isJobRunning(this.#deps.db, jobId)) {
        await this.#waitForChange();
      } else {
        // The job may have written its last events since the last query, so there is one more.
        isLastQueryDone = true;
        this.#nextQueryAt = 0;
        this.#nextRetryQueryAt = 0;
      }
    }
    await Promise.all(this.#sending.values());
    if (this.#failure) throw this.#failure.error;
  }

  /** Queries the due events of each kind, once those of the previous query have been started. */
  async #queryDueEvents(): Promise<void> {
    const now = performance.now();
    const queriesNew = this.#newEvents.length === 0 && now >= this.#nextQueryAt;
    const queriesRetries = this.#retries.length === 0 && now >= this.#nextRetryQueryAt;
    if (!queriesNew && !queriesRetries) return;
    const due = await listDueEvents(this.#deps.db, {
      jobId: this.#round.jobId,
      after: this.#lastSequence,
      maxNew: queriesNew ? EVENTS_PER_QUERY : 0,
      maxRetries: queriesRetries ? EVENTS_PER_QUERY : 0,
      excludedIds: [...this.#sending.keys()].map(({ id }) => id),
    });
    // A full result means that there may be more, so the next query need not wait.
    if (queriesNew) {
      this.#newEvents = due.filter(isFirstAttempt);
      this.#lastSequence = this.#newEvents.at(-1)?.sequence ?? this.#lastSequence;
      this.#nextQueryAt = this.#newEvents.length < EVENTS_PER_QUERY ? now + QUERY_PAUSE_MS : now;
    }
    if (queriesRetries) {
      this.#retries = due.filter((event) => !isFirstAttempt(event));
      this.#nextRetryQueryAt = this.#retries.length < EVENTS_PER_QUERY ? now + RETRY_QUERY_PAUSE_MS : now;
    }
  }

  #sendDueEvents(): void {
    const sending = [...this.#sending.keys()];
    const firstAttempts = sending.filter(isFirstAttempt);
    for (const event of this.#newEvents.slice(0, MAX_FIRST_ATTEMPTS - firstAttempts.length)) {
      // An event of the job itself waits for all events before it, and all events after it wait for it.
      if (firstAttempts.some((other) => !isPageEvent(other) || !isPageEvent(event))) break;
      firstAttempts.push(event);
      this.#newEvents.shift();
      this.#send(event);
    }
    const retriesLeft = MAX_RETRIES - sending.filter((event) => !isFirstAttempt(event)).length;
    for (const event of this.#retries.splice(0, retriesLeft)) this.#send(event);
  }

  #send(event: DueEvent): void {
    const { db } = this.#deps;
    const done = this.#traceAttempt(event)
      .then(async (attempt) => {
        await recordAttempt(db, attempt);
        deliveries.inc({ outcome: outcomeOf(attempt) });
      })
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#sending.delete(event));
    this.#sending.set(event, done);
  }

  #traceAttempt(event: DueEvent): Promise<DeliveryAttempt> {
    const attributes = { 'winnow.event.type': event.type, 'winnow.event.attempt': event.attempts + 1 };
    return inSpan('deliver event', { kind: 'client', attributes }, async (span) => {
      const attempt = await this.#attempt(event);
      if (attempt.responseStatus) span.attributes['http.response.status_code'] = attempt.responseStatus;
      if (!attempt.delivered) span.error = outcomeOf(attempt);
      return attempt;
    });
  }

  async #attempt(event: DueEvent): Promise<DeliveryAttempt> {
    const { id, attempts } = event;
    const { signal, onFault } = this.#round;
    const { url } = this.#webhook.target;
    const { encrypts } = this.#webhook.cipher;
    const failure = {
      id,
      delivered: false,
      responseStatus: null,
      responseBody: null,
      retryInMs: retryInMs(attempts + 1),
    };
    try {
      const request = await this.#buildRequest(event);
      const { statusCode, excerpt } = await post(this.#deps.egress, {
        url,
        ...request,
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        signal,
      });
      // A receiver may repeat what it got, of which nothing is kept with zero data retention.
      const response = { responseStatus: statusCode, responseBody: encrypts ? null : excerpt };
      if (statusCode >= 200 && statusCode < 300)
        return { ...failure, ...response, delivered: true, error: null };
      const message = `The receiver responded with HTTP ${statusCode}. Only 200 to 299 confirm the event.`;
      return { ...failure, ...response, error: message };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof StoresUnavailable) throw thrown.cause;
      const error = toServiceError(thrown);
      if (error.code === 'UNKNOWN_ERROR') onFault(encrypts ? error.code : thrown, id);
      const reason = encrypts ? `The receiver could not be reached (${error.code}).` : error.message;
      return {
        ...failure,
        error: reason,
        ...(isFinal(error.code, attempts + 1) && { retryInMs: undefined }),
      };
    }
  }

  /** @throws StoresUnavailable if the database or the blob store does not respond */
  async #buildRequest(event: DueEvent): ReturnType<typeof buildEventRequest> {
    const { jobId } = this.#round;
    try {
      return await buildEventRequest(event, { jobId, webhook: this.#webhook, ...this.#deps });
    } catch (thrown) {
      const error = toServiceError(thrown);
      throw error.code === 'SERVICE_UNAVAILABLE' ? new StoresUnavailable('', { cause: error }) : thrown;
    }
  }

  /** Waits until a delivery ends, or until it is time for the next query. */
  async #waitForChange(): Promise<void> {
    const timer = new AbortController();
    await Promise.race([pause(QUERY_PAUSE_MS, timer.signal), ...this.#sending.values()]);
    timer.abort();
  }
}

function outcomeOf({ delivered, retryInMs: next }: DeliveryAttempt): 'delivered' | 'retried' | 'failed' {
  if (delivered) return 'delivered';
  return next === undefined ? 'failed' : 'retried';
}

/** Attempts after which a document is gone: a bucket may read what was there before its last write. */
const MAX_READS = 3;

/**
 * Whether a delivery that failed with this error is never retried, because its URL or the request itself is
 * wrong.
 */
function isFinal(code: ErrorCode, attempts: number): boolean {
  const { status, retry } = policyOf(code);
  if (code === 'NOT_FOUND' && attempts < MAX_READS) return false;
  return retry === 'never' && status >= 400 && status < 500;
}

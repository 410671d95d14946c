import { randomUUID } from 'node:crypto';
import { setImmediate as afterResponse } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { defaultPayloadConverter, encodeWorkflowIdReusePolicy } from '@temporalio/common';
import { encodeUnifiedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import type { ScrapeResult } from '../activities/scrape/scrape-report.ts';
import type { TemporalSecurity } from '../config.ts';
import { CallSlots } from '../system/call-slots.ts';
import type { Logger } from '../system/logger.ts';
import { repeatUntilPrepared } from './connection.ts';
import { readSecurity } from './security.ts';
import { parseTemporalAddress } from './target.ts';
import { describeSynchronousJob, type SynchronousStart } from './workflow-starts.ts';

/** A scrape that has ended with a document, and what its workflow would have been started with. */
export interface FinishedScrape extends SynchronousStart {
  ended: NonNullable<ScrapeResult>;
}

/** Number of scrapes that are recorded at once. */
const MAX_AT_ONCE = 16;
/** Milliseconds that the record of a scrape may take, for example while Temporal restarts. */
const RECORD_TIMEOUT_MS = 10_000;
/** gRPC status of the start of a workflow that has been started before. */
const ALREADY_EXISTS = 6;
/** The number of this command in Temporal's protocol. */
const COMPLETE_WORKFLOW_EXECUTION = 4;
/** The name by which the histories say who completed the workflow. */
const IDENTITY = `${process.pid}@finished-scrapes`;

/** Records are never taken back. */
const NEVER = new AbortController().signal;

const toPayload = (value: unknown) => defaultPayloadConverter.toPayload(value);

/**
 * Writes the workflows of scrapes that have already ended, for the Temporal UI. Two calls to the server start
 * and complete such a workflow; no workflow code runs. If the second call is lost, a worker completes it.
 */
export class FinishedScrapes {
  // The native connection of the worker would hand the first task of the workflow over to the worker.
  readonly #connection: Connection;
  readonly #namespace: string;
  readonly #logger: Logger;
  readonly #slots = new CallSlots(MAX_AT_ONCE);
  readonly #underWay = new Set<Promise<void>>();

  /**
   * @param options.address that of the Temporal server, see {@link parseTemporalAddress}; the connection is opened with the first
   * record
   */
  constructor(options: {
    address: string;
    security: TemporalSecurity | undefined;
    namespace: string;
    logger: Logger;
  }) {
    // This client would obey the proxy settings of the environment, as none of the other connections to the
    // server does.
    const { address, credentials } = parseTemporalAddress(options.address);
    const channelArgs = {
      'grpc.enable_http_proxy': 0,
      ...(credentials && {
        'grpc.http_connect_target': `dns:${address}`,
        'grpc.http_connect_creds': `${credentials.username}:${credentials.password}`,
      }),
    };
    this.#connection = Connection.lazy({ address, channelArgs, ...readSecurity(options.security) });
    this.#namespace = options.namespace;
    this.#logger = options.logger;
  }

  /**
   * Begins to record a scrape, as soon as fewer than 16 are under way; teams take turns. A record that fails
   * is logged: nothing but the Temporal UI needs it.
   */
  async record(scrape: FinishedScrape): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const write = async () => {
      begun.resolve();
      // The caller responds first, which encoding the calls would delay.
      await afterResponse();
      await this.#write(scrape);
    };
    const recorded = this.#slots
      .run(write, { owner: scrape.teamId, signal: NEVER })
      .catch((error) => {
        // The API has started the workflow itself, because this process responded too late.
        if (isGrpcServiceError(error) && error.code === ALREADY_EXISTS) return;
        const { jobId } = scrape;
        this.#logger.warn({ err: error, jobId }, 'the Temporal UI will not show a finished scrape');
      })
      .finally(() => this.#underWay.delete(recorded));
    this.#underWay.add(recorded);
    await begun.promise;
  }

  /** Waits for the records under way, at most ten seconds, and closes the connection. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.#connection.close();
  }

  async #write(scrape: FinishedScrape): Promise<void> {
    const deadline = Date.now() + RECORD_TIMEOUT_MS;
    const start = () => this.#connection.withDeadline(deadline, () => this.#start(scrape));
    const taskToken = await repeatUntilPrepared(start, deadline);
    // Without the first task, which only servers with a certain setting give away, a worker gets it.
    if (taskToken)
      await this.#connection.withDeadline(deadline, () => this.#complete(taskToken, scrape.ended));
  }

  /** Starts the workflow. @returns the token of its first task */
  async #start(scrape: FinishedScrape): Promise<Uint8Array | null | undefined> {
    const { workflowType, input, ...shown } = describeSynchronousJob('scrape', scrape);
    const { eagerWorkflowTask } = await this.#connection.workflowService.startWorkflowExecution({
      namespace: this.#namespace,
      identity: IDENTITY,
      requestId: randomUUID(),
      requestEagerExecution: true,
      workflowId: shown.workflowId,
      workflowIdReusePolicy: encodeWorkflowIdReusePolicy('REJECT_DUPLICATE') ?? null,
      workflowType: { name: workflowType },
      taskQueue: { name: shown.taskQueue },
      input: { payloads: [toPayload(input)] },
      priority: shown.priority,
      userMetadata: { summary: toPayload(shown.staticSummary), details: toPayload(shown.staticDetails) },
      searchAttributes: {
        indexedFields: encodeUnifiedSearchAttributes(undefined, shown.typedSearchAttributes),
      },
    });
    return eagerWorkflowTask?.taskToken;
  }

  /** Completes the workflow, as its code would with the same input. */
  async #complete(taskToken: Uint8Array, result: FinishedScrape['ended']): Promise<void> {
    await this.#connection.workflowService.respondWorkflowTaskCompleted({
      namespace: this.#namespace,
      identity: IDENTITY,
      taskToken,
      commands: [
        {
          commandType: COMPLETE_WORKFLOW_EXECUTION,
          completeWorkflowExecutionCommandAttributes: { result: { payloads: [toPayload(result)] } },
        },
      ],
    });
  }
}

import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { proxySinks, type Sinks, type WorkflowInterceptorsFactory, workflowInfo } from '@temporalio/workflow';

/** The header by which workflows hand the trace on: a `traceparent` as JSON text. */
export const TRACE_HEADER = 'traceparent';

type Headers = Record<string, Payload>;

/** What the worker does for workflows outside of their sandbox. */
export interface TraceSinks extends Sinks {
  traces: {
    /**
     * Records the span of a workflow run that has ended.
     * @param traceparent that of its start
     * @param startMs in milliseconds since 1970
     */
    workflowEnded(traceparent: string, startMs: number, failed: boolean): void;
  };
}

const { traces } = proxySinks<TraceSinks>();

/**
 * Hands the trace of a workflow on to its activities and children, as the header that its start has. Headers are no
 * part of what a replay compares, and the code does nothing without one.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  /** That of the start, and that with the span of this run. */
  let received: Payload | undefined;
  let own: Payload | undefined;
  const withHeader = <Input extends { headers: Headers }>(input: Input, header = own): Input =>
    header ? { ...input, headers: { ...input.headers, [TRACE_HEADER]: header } } : input;
  return {
    inbound: [
      {
        async execute(input, next) {
          received = input.headers[TRACE_HEADER];
          if (!received) return next(input);
          const { runId, runStartTime } = workflowInfo();
          const traceparent: string = defaultPayloadConverter.fromPayload(received);
          own = defaultPayloadConverter.toPayload(withSpan(traceparent, spanIdOf(runId)));
          let failed = true;
          try {
            const result = await next(input);
            failed = false;
            return result;
          } finally {
            traces.workflowEnded(traceparent, runStartTime.getTime(), failed);
          }
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withHeader(input)),
        scheduleLocalActivity: (input, next) => next(withHeader(input)),
        startChildWorkflowExecution: (input, next) => next(withHeader(input)),
        // The next run of a workflow is beside this one.
        continueAsNew: (input, next) => next(withHeader(input, received)),
      },
    ],
  };
};

/** The span of a run has an id that follows from it, because what it starts names that span before it has ended. */
export const spanIdOf = (runId: string): string => runId.replaceAll('-', '').slice(-16);

/** Replaces the id of the span in a `traceparent`. */
const withSpan = (traceparent: string, spanId: string): string =>
  traceparent.replace(/-[\da-f]{16}-/, `-${spanId}-`);

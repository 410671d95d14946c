import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, InjectedSinks } from '@temporalio/worker';
import { fieldsOf } from '../json/json-object.ts';
import {
  currentTraceparent,
  inSpan,
  JOB_ID,
  nowMs,
  parseTraceparent,
  recordSpanBelow,
  runInTrace,
  type SpanAttributes,
} from '../system/tracing.ts';
import { spanIdOf, TRACE_HEADER, type TraceSinks } from '../workflows/trace-context.ts';

type Headers = Record<string, Payload>;

function withTrace<Input extends { headers: Headers }>(input: Input): Input {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return input;
  const header = defaultPayloadConverter.toPayload(traceparent);
  return { ...input, headers: { ...input.headers, [TRACE_HEADER]: header } };
}

/** Hands the trace of a request on to the workflows that it starts. */
export const traceStarts: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next(withTrace(input)),
  signalWithStart: (input, next) => next(withTrace(input)),
};

const readHeader = (header: Payload | undefined): string | undefined => {
  const value: unknown = header && defaultPayloadConverter.fromPayload(header);
  return typeof value === 'string' ? value : undefined;
};

/**
 * Runs an activity in a span of the trace that its workflow was started in, so that log lines have its id and
 * that of the job.
 */
export const traceActivities = ({
  activityType,
}: {
  activityType: string;
}): ActivityInboundCallsInterceptor => ({
  execute(input, next) {
    const job = jobIdOf(input.args[0]);
    const attributes: SpanAttributes = job === undefined ? {} : { [JOB_ID]: job };
    return runInTrace({ traceparent: readHeader(input.headers[TRACE_HEADER]), job }, () =>
      inSpan(`activity ${activityType}`, { attributes }, () => next(input)),
    );
  },
});

/** The input of an activity is the id of its job, or has it. */
function jobIdOf(input: unknown): string | undefined {
  const id = typeof input === 'string' ? input : fieldsOf(input).jobId;
  return typeof id === 'string' ? id : undefined;
}

/** Records the spans of workflows that have ended. */
export const traceWorkflows: InjectedSinks<TraceSinks> = {
  traces: {
    workflowEnded: {
      fn({ workflowType, runId }, traceparent, startMs, failed) {
        const parent = parseTraceparent(traceparent);
        if (!parent) return;
        recordSpanBelow(parent, {
          name: `workflow ${workflowType}`,
          spanId: spanIdOf(runId),
          startMs,
          endMs: nowMs(),
          error: failed ? 'WORKFLOW_FAILED' : undefined,
        });
      },
    },
  },
};

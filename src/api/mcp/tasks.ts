import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { excerpt, ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { isEnded } from './follow-job.ts';
import { agentJob, crawlJob, extractJob, type JobType } from './jobs.ts';
import type { RouteCall, RouteResponse } from './route-call.ts';

/** The extension of the protocol by which clients follow long calls (SEP-2663). */
export const TASKS = 'io.modelcontextprotocol/tasks';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
/** How often clients should ask for a task, in milliseconds. */
const POLL_INTERVAL_MS = 2_000;

const TYPES: readonly JobType[] = [crawlJob, extractJob, agentJob];
type Call = (call: RouteCall) => Promise<RouteResponse>;

/** Whether a request is from a client that knows tasks. */
export const knowsTasks = ({ mcpReq }: ServerContext): boolean =>
  TASKS in fieldsOf(fieldsOf(fieldsOf(mcpReq.envelope)[CAPABILITIES_KEY]).extensions);

/** What makes the methods of tasks. */
interface TaskParts {
  /** Calls routes for a request. */
  callsOf: (context: ServerContext) => Call;
  /** The result of the call that a task stands for. */
  resultOf: (type: JobType, state: RouteResponse) => object;
}

/** Adds the methods of tasks. A task is a job, whose id is in its own, so that every process finds it. */
export function serveTasks(server: Server, { callsOf, resultOf }: TaskParts): void {
  const params = z.looseObject({ taskId: z.string() });
  const result = z.looseObject({});
  const method = (
    name: string,
    run: (type: JobType, id: string, call: Call) => Promise<Record<string, unknown>>,
  ) =>
    server.setRequestHandler(name, { params, result }, async ({ taskId }, context) => {
      if (!knowsTasks(context))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS]: {} } },
        });
      const [type, id] = readTaskId(taskId);
      try {
        return await run(type, id, callsOf(context));
      } catch (error) {
        if (error instanceof ServiceError) throw toProtocolError(error, taskId);
        throw error;
      }
    });
  method('tasks/get', async (type, id, call) => {
    const state = await type.state(id, call);
    const task = describeTask(type, id, state);
    if (task.status !== 'completed') return task;
    return { ...task, result: resultOf(type, await type.result(id, call)) };
  });
  method('tasks/cancel', async (type, id, call) => {
    await type.cancel(id, call);
    return {};
  });
  // No task asks its client for anything.
  method('tasks/update', async (type, id, call) => {
    await type.state(id, call);
    return {};
  });
}

/** The response to a call whose job has been started and stored. */
export async function createTask(type: JobType, id: string, call: Call) {
  const state = await type.state(id, call);
  // The library demands the content of a result; clients that know tasks ignore it.
  return { resultType: 'task', ...describeTask(type, id, state), content: [] };
}

function describeTask(type: JobType, id: string, state: RouteResponse) {
  const createdAt = creationOf(id);
  return {
    taskId: `${type.kind}_${id}`,
    status: statusOf(state),
    statusMessage: type.progressOf(state).message,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: typeof state.completedAt === 'string' ? state.completedAt : new Date().toISOString(),
    ttlMs: Date.parse(String(state.expiresAt)) - createdAt.getTime(),
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

/** A job that has failed is a task that has completed, with an error as its result. */
function statusOf(state: RouteResponse): 'working' | 'completed' | 'cancelled' {
  if (!isEnded(state)) return 'working';
  return state.status === 'cancelled' ? 'cancelled' : 'completed';
}

/** When a job was created, by its id (RFC 9562, 5.7). */
const creationOf = (id: string) => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));

function readTaskId(taskId: string): [type: JobType, id: string] {
  const [kind, id] = taskId.split('_');
  const type = TYPES.find((each) => each.kind === kind);
  if (type && z.uuid().safeParse(id).success && id !== undefined) return [type, id];
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${excerpt(taskId)}.`);
}

function toProtocolError({ code, message }: ServiceError, taskId: string): ProtocolError {
  const isUnknown = code === 'NOT_FOUND' || code === 'BAD_REQUEST';
  return isUnknown
    ? new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${excerpt(taskId)}: ${message}`)
    : new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`);
}

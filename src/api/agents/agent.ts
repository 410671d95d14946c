import { z } from 'zod';
import { errorsRaisedBy, ServiceError } from '../../errors.ts';
import { JOB_KINDS } from '../../job-kinds.ts';
import * as schemas from '../../schemas/agent.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { LISTED_AGENTS, listAgents, listSteps } from '../../storage/db/jobs/agent-steps.ts';
import { parseTarget } from '../../url/url.ts';
import { defineRoute } from '../http/route.ts';
import { RUN_STATUS, readRun } from './read-run.ts';
import { findRulesReason, modelMissing, RUN_MIN_CREDITS, startRun } from './start-run.ts';
import { snapshotOf, traceEvents } from './trace-events.ts';

const { path } = JOB_KINDS.agent;
const tag = 'Agent';

const create = defineRoute({
  method: 'post',
  path,
  tag,
  summary: 'Let a language model find data on the web',
  body: schemas.agentBody,
  response: schemas.startAgentResponse,
  errors: [
    ...errorsRaisedBy('start'),
    ...(['IDEMPOTENCY_KEY_REUSED', 'MODEL_NOT_CONFIGURED', 'MODEL_BUDGET_EXCEEDED'] as const),
    ...(['threads_disabled'] as const),
  ],
  minCredits: RUN_MIN_CREDITS,
  async handler({ caller, body, rawBody, baseUrl, idempotencyKey }, deps) {
    const { webhook, ...rest } = body;
    const reason = await findRulesReason(deps, caller);
    if (reason) throw modelMissing(reason, 'An agent');
    if (rest.threadId !== undefined || rest.mode === 'chat') throw threadsDisabled();
    const allowLocalNames = deps.config.allowPrivate.length > 0;
    const urls = rest.urls.map((url) => parseTarget(url, allowLocalNames).href);
    const run = { kind: 'agent' as const, caller, rawBody, idempotencyKey, baseUrl, webhook };
    const id = await startRun({ ...run, request: { ...rest, urls } }, deps);
    return { success: true as const, id };
  },
});

const threadsDisabled = () =>
  new ServiceError(
    'threads_disabled',
    'Threads are disabled: each agent works by itself. Leave threadId and mode out, and put what matters of earlier results into the prompt.',
  );

const read = defineRoute({
  method: 'get',
  path: `${path}/:id`,
  tag,
  summary: 'Get the status and result of an agent',
  params: jobIdParams,
  response: schemas.agentStatusResponse,
  errors: ['NOT_FOUND'],
  rateLimited: false,
  async handler({ caller, params: { id } }, deps) {
    const { run, result, fields } = await readRun(id, { caller, kinds: ['agent'] }, deps);
    // The API validated the request before it was stored.
    const { model, effort } = run.request as schemas.AgentRequest;
    return { ...fields, model, effort, mode: 'extract' as const, ...(result && { sources: result.sources }) };
  },
});

const cancel = defineRoute({
  method: 'delete',
  path: `${path}/:id`,
  tag,
  summary:
    'Cancel an agent or extract; it ends after the pages that it is opening. One that has ended stays as it is',
  params: jobIdParams,
  response: schemas.cancelAgentResponse,
  errors: ['NOT_FOUND'],
  rateLimited: false,
  async handler({ caller, params: { id } }, deps) {
    const { run } = await readRun(id, { caller, kinds: ['agent', 'extract'] }, deps);
    if (run.status === 'scraping') await deps.temporal.stopAgent(run.kind, id);
    return { success: true as const };
  },
});

const MAX_HINT_CHARACTERS = 120;
/** The statuses of a list, in which the official SDKs accept no other; the status of an agent tells more. */
const LISTED_STATUS = { ...RUN_STATUS, cancelled: 'failed' } as const;

const list = defineRoute({
  method: 'get',
  path,
  tag,
  summary: 'List the agents of the team',
  query: schemas.agentsQuery,
  response: schemas.agentsResponse,
  errors: [],
  rateLimited: false,
  async handler({ caller, query: { before }, baseUrl }, { db }) {
    const agents = await listAgents(db, caller.teamId, new Date(before ?? Date.now() + 1));
    const last = agents.at(-1);
    return {
      success: true as const,
      agents: agents.map(({ id, status, request, target, createdAt }) => {
        // The API validated the request before it was stored.
        const { origin, integration, ...options } = request as schemas.AgentRequest;
        const targetHint = (target ?? options.prompt).slice(0, MAX_HINT_CHARACTERS);
        const settings = { hidden: false, starred: false };
        const texts = { id, createdAt: createdAt.toISOString(), targetHint, origin, integration };
        return { ...texts, settings, status: LISTED_STATUS[status], options };
      }),
      ...(agents.length === LISTED_AGENTS &&
        last && { next: `${baseUrl}${path}?before=${last.createdAt.getTime()}` }),
    };
  },
});

const trace = defineRoute({
  method: 'get',
  path: `${path}/:id/trace`,
  tag,
  summary: 'Get what an agent did, step by step',
  params: jobIdParams,
  query: schemas.traceQuery,
  response: schemas.agentTraceResponse,
  errors: ['NOT_FOUND'],
  rateLimited: false,
  async handler({ caller, params: { id } }, deps) {
    const { run, fields } = await readRun(id, { caller, kinds: ['agent'] }, deps);
    const events = traceEvents(id, run, await listSteps(deps.db, id));
    return { success: true as const, id, events, creditsUsed: fields.creditsUsed };
  },
});

const snapshot = defineRoute({
  method: 'get',
  path: `${path}/:id/snapshots/:snapshotId`,
  tag,
  summary: 'Get the content of an artifact that the trace of an agent names',
  params: schemas.snapshotParams,
  response: schemas.agentSnapshotResponse,
  errors: ['NOT_FOUND'],
  rateLimited: false,
  async handler({ caller, params: { id, snapshotId } }, deps) {
    await readRun(id, { caller, kinds: ['agent'] }, deps);
    const steps = await listSteps(deps.db, id);
    const step = steps.find(({ sequence }) => String(sequence) === snapshotId);
    const content = step && snapshotOf(step);
    if (content === undefined)
      throw new ServiceError('NOT_FOUND', `The agent ${id} has no snapshot ${snapshotId.slice(0, 100)}.`);
    return { success: true as const, id, snapshotId, snapshot: content };
  },
});

const threads = defineRoute({
  method: 'get',
  path: `${path}/threads/:id`,
  tag,
  summary: 'Threads of agents, which are disabled',
  params: z.object({ id: z.string() }),
  query: schemas.threadQuery,
  response: schemas.cancelAgentResponse,
  errors: ['threads_disabled'],
  rateLimited: false,
  handler: async () => {
    throw threadsDisabled();
  },
});

/** The routes of agents. */
export const agentRoutes = [create, list, read, cancel, trace, snapshot, threads];

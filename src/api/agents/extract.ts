import { emptySchemaWarning } from '../../content/extraction/data-request.ts';
import { errorsRaisedBy, excerpt, ServiceError } from '../../errors.ts';
import { JOB_KINDS } from '../../job-kinds.ts';
import { RULES_REASONS } from '../../jobs/agent/results.ts';
import type { RulesReason } from '../../jobs/agent/task.ts';
import {
  type ExtractRequest,
  extractBody,
  extractStatusResponse,
  startExtractResponse,
} from '../../schemas/extract.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { parseTarget } from '../../url/url.ts';
import { defineRoute } from '../http/route.ts';
import { readRun } from './read-run.ts';
import { findRulesReason, modelMissing, RUN_MIN_CREDITS, startRun } from './start-run.ts';

const { path } = JOB_KINDS.extract;
const tag = 'Extract';

const create = defineRoute({
  method: 'post',
  path,
  tag,
  summary: 'Extract data from pages and sites as one job',
  body: extractBody,
  response: startExtractResponse,
  deprecation: { of: 'extract', replacement: JOB_KINDS.agent.path },
  errors: [
    ...errorsRaisedBy('start', 'options'),
    ...(['IDEMPOTENCY_KEY_REUSED', 'MODEL_NOT_CONFIGURED', 'MODEL_BUDGET_EXCEEDED'] as const),
  ],
  minCredits: RUN_MIN_CREDITS,
  async handler({ caller, body, rawBody, baseUrl, idempotencyKey }, deps) {
    const { webhook, ...rest } = body;
    const { urls, invalid } = sortUrls(rest, deps.config.allowPrivate.length > 0);
    const reason = await findRulesReason(deps, caller);
    if (reason && (rest.schema === undefined || urls.length === 0)) {
      const advice = ' With urls and a schema, an extract works by rules without one.';
      throw modelMissing(reason, 'An extract without a schema', advice);
    }
    const run = { kind: 'extract' as const, caller, rawBody, idempotencyKey, baseUrl, webhook };
    const warnings = [emptySchemaWarning(rest.schema), reason && rulesWarning(reason, rest.prompt)].filter(
      (warning) => warning !== undefined,
    );
    const id = await startRun({ ...run, request: { ...rest, urls } }, deps);
    return {
      success: true as const,
      id,
      replacement: JOB_KINDS.agent.path,
      ...(rest.ignoreInvalidURLs && { invalidURLs: invalid }),
      ...(warnings.length > 0 && { warnings }),
    };
  },
});

const rulesWarning = (reason: RulesReason, prompt: string | undefined) =>
  `${RULES_REASONS[reason]}, so rules look for values whose names match the property names of the schema.${prompt === undefined ? '' : ' The prompt has no effect.'}`;

/**
 * Sorts URLs into those that can be opened, in absolute form, and others.
 * @throws ServiceError `BAD_REQUEST` for an invalid URL unless these are left out, and if no URL is left
 */
function sortUrls({ urls, ignoreInvalidURLs }: ExtractRequest, allowLocalNames: boolean) {
  const valid: string[] = [];
  const invalid: string[] = [];
  for (const url of urls) {
    const isSite = url.trim().endsWith('/*');
    try {
      const { href } = parseTarget(isSite ? url.trim().slice(0, -1) : url, allowLocalNames);
      valid.push(isSite ? `${href.replace(/\/$/, '')}/*` : href);
    } catch (error) {
      if (!ignoreInvalidURLs || !(error instanceof ServiceError)) throw error;
      invalid.push(url);
    }
  }
  // A prompt alone is a search of the web, which somebody who gives URLs does not expect.
  if (urls.length > 0 && valid.length === 0)
    throw new ServiceError(
      'BAD_REQUEST',
      `No valid URLs provided: ${excerpt(invalid.join(', '), 500)}. Use URLs such as https://example.com/page.`,
    );
  return { urls: valid, invalid };
}

const read = defineRoute({
  method: 'get',
  path: `${path}/:id`,
  tag,
  summary: 'Get the status and result of an extract or agent',
  params: jobIdParams,
  response: extractStatusResponse,
  errors: ['NOT_FOUND'],
  rateLimited: false,
  async handler({ caller, params: { id } }, deps) {
    const { run, result, fields } = await readRun(id, { caller, kinds: ['extract', 'agent'] }, deps);
    // The API validated the request before it was stored.
    const showsSources = run.kind === 'agent' || (run.request as ExtractRequest).showSources;
    return { ...fields, ...(result && showsSources && { sources: result.sourcesByField }) };
  },
});

/** The routes of extracts. */
export const extractRoutes = [create, read];

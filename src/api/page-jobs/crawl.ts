import { v7 as uuidv7 } from 'uuid';
import { expectedPriceOf } from '../../credits.ts';
import { errorsRaisedBy } from '../../errors.ts';
import { JOB_KINDS } from '../../job-kinds.ts';
import { pageKey } from '../../jobs/crawl/page-key.ts';
import { fieldsOf } from '../../json/json-object.ts';
import {
  activeCrawlsResponse,
  type CrawlRequest,
  crawlBody,
  previewBody,
  previewResponse,
  startCrawlResponse,
} from '../../schemas/crawl.ts';
import { performOnce } from '../../storage/db/idempotency.ts';
import { shownUrl } from '../../storage/db/jobs/job-summary.ts';
import { insertPageJob, listActiveCrawls } from '../../storage/db/jobs/page-jobs.ts';
import { requireOpenJob } from '../../storage/db/teams/quotas.ts';
import {
  createJobCipher,
  hashRequest,
  NULL_CIPHER,
  restoreJobCipher,
} from '../../system/encryption/job-cipher.ts';
import { nameJob } from '../../system/tracing.ts';
import { parseTarget } from '../../url/url.ts';
import { requireStorage } from '../http/require-storage.ts';
import { defineRoute } from '../http/route.ts';
import { requiresEncryption } from '../zero-data-retention.ts';
import { keepsResponses } from './archive-option.ts';
import { deriveCrawlOptions } from './crawl-prompt.ts';
import type { PageJobResource } from './page-job-resource.ts';
import { pageJobRoutes } from './routes.ts';
import { warnOfPatterns, warnOfWebhook } from './start-warnings.ts';

const crawl: PageJobResource = { kind: 'crawl', tag: 'Crawl' };

/**
 * Leaves out the options that a request sets itself.
 * @param rawBody the body before defaults were filled in
 */
function unlessExplicit(options: object, rawBody: unknown): Partial<CrawlRequest> {
  const explicit = fieldsOf(rawBody);
  // The rules and the model use the names and values of a crawl request; `maxDepth` is only for previews.
  const derived = Object.entries(options).filter(
    ([name]) => name !== 'maxDepth' && (explicit[name] === undefined || explicit[name] === null),
  );
  return Object.fromEntries(derived) as Partial<CrawlRequest>;
}

const OLDER_NAME =
  'allowBackwardLinks is the older name of crawlEntireDomain, which takes precedence. Send that one instead.';

/** The option `crawlEntireDomain` of a request that has it by its older name only. */
function entireDomain(
  { allowBackwardLinks }: CrawlRequest,
  rawBody: unknown,
): Partial<Pick<CrawlRequest, 'crawlEntireDomain'>> {
  const isByNewName = fieldsOf(rawBody).crawlEntireDomain !== undefined;
  return isByNewName || allowBackwardLinks === undefined ? {} : { crawlEntireDomain: allowBackwardLinks };
}

const create = defineRoute({
  method: 'post',
  path: JOB_KINDS.crawl.path,
  tag: crawl.tag,
  summary: 'Scrape a site as one job',
  body: crawlBody,
  response: startCrawlResponse,
  errors: [...errorsRaisedBy('start', 'options'), 'IDEMPOTENCY_KEY_REUSED'],
  minCredits(rawBody) {
    const { limit } = fieldsOf(rawBody);
    return typeof limit === 'number' ? limit : crawlBody.shape.limit.parse(undefined);
  },
  async handler({ caller, body, rawBody, baseUrl, idempotencyKey }, deps) {
    const { config, db, temporal } = deps;
    await requireStorage(deps, caller);
    const { url, prompt: wish, zeroDataRetention, scrapeOptions } = body;
    const target = parseTarget(url, config.allowPrivate.length > 0);
    const isEncrypted = requiresEncryption({ ...scrapeOptions, zeroDataRetention }, caller);
    const derived =
      wish === undefined
        ? undefined
        : await deriveCrawlOptions({ url, prompt: wish, caller, isEncrypted }, deps);
    const generated = derived && { ...derived, options: unlessExplicit(derived.options, rawBody) };
    const { webhook, prompt, allowBackwardLinks, ...rest } = { ...body, ...generated?.options };
    const archive = keepsResponses({ ...scrapeOptions, archive: body.archive }, config);
    const options = { ...rest, ...entireDomain(body, rawBody), archive };
    const { teamId, apiKeyId } = caller;
    const { secretKey } = config;
    // The idempotency key is stored with the request, which is kept as a hash with zero data retention.
    const call = {
      teamId,
      key: idempotencyKey,
      request: isEncrypted ? hashRequest(rawBody, secretKey) : rawBody,
    };
    const { id } = await performOnce(db, call, async (query) => {
      await requireOpenJob(query, caller);
      const id = uuidv7();
      nameJob(id);
      await insertPageJob(query, {
        id,
        teamId,
        apiKeyId,
        kind: crawl.kind,
        target: target.href,
        request: options,
        webhook,
        baseUrl,
        cipher: isEncrypted ? createJobCipher(id, secretKey) : NULL_CIPHER,
        pages: [{ url: target.href, host: target.host, key: pageKey(id, target.href, options), depth: 0 }],
        limit: options.limit,
        maxConcurrency: options.maxConcurrency ?? null,
        delayMs: options.delay === undefined ? null : Math.round(options.delay * 1000),
        ttlMs: config.resultTtlMs,
        reserved: expectedPriceOf({ ...scrapeOptions, zeroDataRetention }),
        ...(generated?.isUnderstood === false && { notes: { promptNotUnderstood: true } }),
      });
      return { id };
    });
    await temporal.startPageJob({
      kind: crawl.kind,
      jobId: id,
      teamId,
      ...(isEncrypted
        ? { label: 'Crawl', isEncrypted }
        : { label: `Crawl of ${shownUrl(target.href)}`, host: target.host }),
      asked: { url: shownUrl(target.href), limit: options.limit },
      webhook: webhook !== undefined,
    });
    const { origin: _, integration: __, ...effective } = options;
    const warnings = [
      ...(generated ? [generated.warning] : []),
      ...(allowBackwardLinks === undefined ? [] : [OLDER_NAME]),
      ...warnOfPatterns(target.href, options),
      ...warnOfWebhook(webhook, crawl.kind),
    ];
    return {
      success: true as const,
      id,
      url: `${baseUrl}${JOB_KINDS.crawl.path}/${id}`,
      ...(generated && {
        promptGeneratedOptions: generated.options,
        finalCrawlerOptions: effective,
      }),
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
    };
  },
});

const shared = { method: 'get', tag: crawl.tag, rateLimited: false } as const;
const active = ['/v2/crawl/active', '/v2/crawl/ongoing'].map((path) =>
  defineRoute({
    ...shared,
    path,
    summary: 'List the running crawls of the team',
    response: activeCrawlsResponse,
    errors: [],
    async handler({ caller }, { db, config }) {
      const crawls = await listActiveCrawls(db, caller.teamId);
      return {
        success: true as const,
        crawls: crawls.map(({ id, team_id, target, request, wrappedKey, created_at }) => {
          const { decryptJson } = restoreJobCipher({ id, wrappedKey }, config.secretKey);
          // The API validated the request before it was stored.
          const { url, ...options } = decryptJson(request) as CrawlRequest;
          return { id, teamId: team_id, url: target ?? url, created_at: created_at.toISOString(), options };
        }),
      };
    },
  }),
);

const preview = defineRoute({
  method: 'post',
  path: '/v2/crawl/params-preview',
  tag: crawl.tag,
  summary: 'Derive crawl options from a description',
  body: previewBody,
  faultPrefix: 'Invalid request parameters: ',
  response: previewResponse,
  errors: [],
  async handler({ caller, body: { url, prompt } }, deps) {
    parseTarget(url, deps.config.allowPrivate.length > 0);
    const { options, warning } = await deriveCrawlOptions({ url, prompt, caller, isEncrypted: false }, deps);
    return { success: true as const, data: { ...options, url }, warning };
  },
});

/** The routes of crawls. Fixed paths come first, because Express would otherwise match them as ids. */
export const crawlRoutes = [create, ...active, preview, ...pageJobRoutes(crawl)];

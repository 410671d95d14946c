import { randomUUID } from 'node:crypto';
import { msToTs } from '@temporalio/common/lib/time.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepareNamespace } from '../../src/temporal/namespace.ts';
import { Temporal } from '../../src/temporal/workflow-client.ts';
import { SEARCH_ATTRIBUTES } from '../../src/workflows/search-attributes.ts';
import { articleTruth } from '../site/site.ts';
import { call, scrape } from '../support/api/call.ts';
import { htmlFile, parse } from '../support/api/parse.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import {
  type History,
  payloadsOf,
  replay,
  silenceReplays,
  unlessMissing,
} from '../support/workflows/histories.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** The traces of a scrape in Temporal: enough for a person to understand it, but no content of the page. */

const RETENTION_SECONDS = 7 * 86_400;

silenceReplays();

const site = useSite();
const db = useDatabase();
const temporal = useTemporal();

const failureOf = (history: History) =>
  history.events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure ?? undefined;

const scheduledActivities = (history: History) =>
  (history.events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );

describe('a finished scrape', () => {
  const url = () => `${site.url}/article/51?temporal`;
  let jobId: string;
  let history: History;
  beforeAll(async () => {
    history = await pollUntil(async () => {
      const { body } = await scrape({ url: url(), formats: ['markdown', 'html'], timeout: 60_000 });
      expect(body.data.markdown).toContain(articleTruth(51).firstSentence);
      jobId = body.data.metadata.scrapeId;
      const workflow = temporal.workflow(`scrape/${jobId}`);
      // The response waits neither for its start nor for its end.
      await pollUntil(() => workflow.result().catch(unlessMissing));
      const one = await workflow.fetchHistory();
      // On a busy machine, a scrape may take longer than the seconds in which it needs no further activity.
      return scheduledActivities(one).length === 0 && one;
    });
  });

  it('of an uploaded file is named after the file in the Temporal UI', async () => {
    const { body } = await parse(htmlFile('Named', '年度报告.html'));
    const handle = temporal.workflow(`scrape/${body.data.metadata.scrapeId}`);
    // The response does not wait for the record of the workflow.
    const description = await pollUntil(() => handle.describe().catch(unlessMissing));
    expect(await description.staticSummary()).toBe('Parse 年度报告.html');
  });

  it('can be read in the Temporal UI: summary, details and attributes', async () => {
    const description = await temporal.workflow(`scrape/${jobId}`).describe();
    expect(description.status.name).toBe('COMPLETED');
    expect(await description.staticSummary()).toBe(`Scrape ${url()}`);
    const details = await description.staticDetails();
    expect(details).toContain(url());
    expect(details).toContain(jobId);
    const attributes = Object.fromEntries(
      description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    expect(attributes).toMatchObject({
      TeamId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      JobKind: 'scrape',
      Host: new URL(site.url).host,
    });
    expect(description.raw.workflowExecutionInfo?.priority).toMatchObject({
      priorityKey: 1,
      fairnessKey: attributes.TeamId,
    });
  });

  it('is found by its attributes', async () => {
    const query = `JobKind = 'scrape' AND Host = '${new URL(site.url).host}' AND ExecutionStatus = 'Completed'`;
    // Temporal writes its index a moment after the workflow has ended.
    await pollUntil(async () => {
      for await (const { workflowId } of temporal.client.workflow.list({ query }))
        if (workflowId === `scrape/${jobId}`) return true;
      return false;
    });
  });

  it('contains nothing of the page in its history', () => {
    const payloads = payloadsOf(history);
    const first = payloads.find((text) => text.startsWith('{"jobId"'));
    const ended = { blob: expect.any(String), engine: 'http', statusCode: 200 };
    expect(JSON.parse(first ?? '{}')).toMatchObject({ jobId, timeoutMs: 60_000, label: url(), ended });
    for (const text of payloads) {
      expect(text).not.toContain(articleTruth(51).firstSentence);
      expect(text).not.toContain('markdown');
      expect(text.length).toBeLessThan(500);
    }
  });

  it('that took less than three seconds is recorded after its end, by no worker', () => {
    const completed = history.events?.find((event) => event.workflowTaskCompletedEventAttributes);
    expect(completed?.workflowTaskCompletedEventAttributes?.identity).toMatch(/@finished-scrapes$/);
    expect(history.events).toHaveLength(5);
  });

  it('replays with the workflow as it is now', async () => {
    await replay(history, `scrape/${jobId}`);
  });
});

describe('a scrape that takes longer than three seconds', () => {
  it('continues in an activity, without another visit to the page', async () => {
    const released = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (_request, response) => {
        await released.promise;
        response.end('<main><h1>The late page</h1></main>');
      },
    });
    const team = await makeTeam(db);
    const body = { url: pages.url, fastMode: true, timeout: 150_000 };
    const scraping = call('/v2/scrape', { body, key: team.key });
    const { id } = await pollUntil(() =>
      db.query.selectFrom('jobs').select('id').where('team_id', '=', team.id).executeTakeFirst(),
    );
    const handle = temporal.workflow(`scrape/${id}`);
    await pollUntil(() => handle.describe().catch(unlessMissing));
    released.resolve();
    expect((await scraping).body.data.markdown).toBe('# The late page');
    const history = await handle.fetchHistory();
    expect(scheduledActivities(history)).toEqual(['scrapePage']);
    expect(pages.requests).toHaveLength(1);
    await replay(history, handle.workflowId);
  });
});

describe('a failed scrape', () => {
  it('has the error of the API response, and can be found by its code', async () => {
    const url = `${site.url}/reset`;
    const failed = await scrape({ url });
    const handle = temporal.workflow(`scrape/${failed.body.details.scrapeId}`);
    const description = await handle.describe();
    expect(description.status.name).toBe('FAILED');
    const attributes = description.typedSearchAttributes.getAll();
    expect(attributes.find(({ key }) => key.name === 'Outcome')?.value).toBe('SCRAPE_SITE_ERROR');
    const history = await handle.fetchHistory();
    const failure = failureOf(history);
    expect(failure?.message).toBe(failed.body.error);
    expect(failure?.applicationFailureInfo?.type).toBe('SCRAPE_SITE_ERROR');
    expect(failure?.cause ?? null).toBeNull();
    await replay(history, handle.workflowId);
  });
});

describe('a scrape whose job the database has lost', () => {
  /** What Temporal was to do, and how often it began with the page. */
  const attemptsOf = (history: History) => ({
    activities: scheduledActivities(history),
    attempts: (history.events ?? []).flatMap(
      ({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? [],
    ),
  });

  it('is to be sent again, and is not tried again, because nothing brings the job back', async () => {
    const team = await makeTeam(db);
    await using pages = await startPages({
      '/': async (_request, response) => {
        await db.query.deleteFrom('jobs').where('team_id', '=', team.id).execute();
        response.end('<main><h1>A page</h1></main>');
      },
    });
    const body = { url: pages.url, fastMode: true, timeout: 150_000 };
    const failed = await call('/v2/scrape', { body, key: team.key });
    expect([failed.status, failed.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(failed.body.error).toMatch(/has lost it\. Send it again\.$/);
    const handle = temporal.workflow(`scrape/${failed.body.details.scrapeId}`);
    const { attempts } = attemptsOf(await handle.fetchHistory());
    // On a busy machine, it takes longer than the seconds after which `scrapePage` waits for it.
    expect(new Set(attempts)).toEqual(new Set([1]));
    expect(pages.requests).toHaveLength(1);
  });

  it.each([
    ['alone', { isQuick: true }, ['recordFailure']],
    ['as a part of another job', {}, ['scrapePage', 'recordFailure']],
  ])('fails at its first attempt when it is started %s', async (_how, start, activities) => {
    const job = { jobId: randomUUID(), teamId: randomUUID(), timeoutMs: 150_000 };
    const workflow = await new Temporal(temporal.connection, 'default').startScrape({ ...job, ...start });
    await expect(workflow.wait(150_000)).rejects.toMatchObject({ cause: { type: 'SERVICE_UNAVAILABLE' } });
    const history = await temporal.workflow(`scrape/${job.jobId}`).fetchHistory();
    expect(attemptsOf(history)).toEqual({ activities, attempts: activities.map(() => 1) });
  });
});

describe('the namespace', () => {
  async function stateOf(namespace: string) {
    const { config } = await temporal.connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await temporal.connection.operatorService.listSearchAttributes({
      namespace,
    });
    return {
      retentionSeconds: Number(config?.workflowExecutionRetentionTtl?.seconds),
      attributes: Object.keys(customAttributes ?? {}),
    };
  }
  const prepared = {
    retentionSeconds: RETENTION_SECONDS,
    attributes: expect.arrayContaining(SEARCH_ATTRIBUTES.map(({ name }) => name)),
  };

  it('keeps histories for a week and has the search attributes', async () => {
    expect(await stateOf('default')).toEqual(prepared);
  });

  it('is prepared when it exists already, and at every start of a worker', async () => {
    const namespace = `existing-${Date.now()}`;
    await temporal.connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    await pollUntil(() => stateOf(namespace).catch(() => undefined));
    expect(await stateOf(namespace)).toMatchObject({ retentionSeconds: 86_400 });
    await prepareNamespace(temporal.connection, namespace);
    await prepareNamespace(temporal.connection, namespace);
    expect(await stateOf(namespace)).toEqual(prepared);
  });
});

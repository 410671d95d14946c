import { expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

useService();
const db = useDatabase();
const temporal = useTemporal();

it('an extract that is cancelled in Temporal waits for its scrapes, whose jobs end', async () => {
  const opened = Promise.withResolvers<void>();
  await using pages = await startPages({ '/held': () => opened.resolve() });
  const { id: teamId, key } = await makeTeam(db);
  const body = {
    urls: [`${pages.url}/held`],
    schema: { type: 'object', properties: { name: { type: 'string' } } },
  };
  const { id } = (await call('/v2/extract', { key, body })).body;
  await opened.promise;
  const extract = temporal.workflow(`extract/${id}`);
  await extract.cancel();
  await expect(extract.result()).rejects.toThrow();
  const { events } = await extract.fetchHistory();
  const [child] = (events ?? []).flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: started }) =>
      started?.workflowExecution?.workflowId ?? [],
  );
  const scrape = await temporal.workflow(child ?? '').describe();
  expect(['CANCELLED', 'FAILED']).toContain(scrape.status.name);
  const open = () =>
    db.query
      .selectFrom('jobs')
      .select(['id', 'kind', 'status'])
      .where('team_id', '=', teamId)
      .where('status', '=', 'scraping')
      .execute();
  await pollUntil(async () => (await open()).length === 0);
  expect((await call(`/v2/extract/${id}`, { key })).body.status).toBe('cancelled');
});

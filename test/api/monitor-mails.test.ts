import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiResponse, call } from '../support/api/call.ts';
import { headerOf, type MailServer, startMailServer } from '../support/mail/mail-server.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The mails of monitors, by a service with a mail server. */

type Body = ApiResponse['body'];

const RECIPIENT = 'reader@example.com';
let mailServer: MailServer;
let site: Pages;
let price = 12;

beforeAll(async () => {
  mailServer = await startMailServer();
  site = await startPages({
    '/': (_request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(`<!doctype html><title>Lamp</title><main><p>The lamp costs ${price} euros.</p></main>`),
  });
});
const service = useService(() => ({
  WINNOW_SMTP_URL: mailServer.url,
  WINNOW_MAIL_FROM: 'Winnow <winnow@example.org>',
}));
afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await mailServer?.[Symbol.asyncDispose]();
});

const request = async (path: string, options: { method?: 'PATCH'; body?: object } = {}): Promise<Body> =>
  (await call(path, { ...options, url: service.url, key: service.key })).body;

/** Runs a check and waits for its end. */
async function runOnce(id: string): Promise<Body> {
  const { id: checkId } = await request(`/v2/monitor/${id}/run`, { body: {} });
  return pollUntil(async () => {
    const { data } = await request(`/v2/monitor/${id}/checks/${checkId}`);
    return data.status !== 'running' && data;
  });
}

it('asks a recipient, tells of changes once they agree, and stops when they unsubscribe', async () => {
  const { data: created } = await request('/v2/monitor', {
    body: {
      name: 'Prices',
      schedule: { text: 'daily' },
      targets: [{ type: 'scrape', urls: [site.url] }],
      notification: { email: { enabled: true, recipients: ['Reader@Example.com'], includeDiffs: true } },
    },
  });
  expect(created.emailRecipientSubscriptions).toEqual([
    { email: RECIPIENT, status: 'pending', source: 'opt_in' },
  ]);
  const [asking] = await mailServer.until(RECIPIENT, 1);
  expect(asking).toMatchObject({
    subject: 'Please confirm mails of the monitor “Prices”',
    from: { name: 'Winnow', address: 'winnow@example.org' },
  });
  const confirmUrl = /http\S+/.exec(asking?.text ?? '')?.[0] ?? '';

  // A program that opens each link of a mail changes nothing.
  const page = await fetch(confirmUrl);
  expect(await page.text()).toContain('<button>Confirm</button>');
  const { id } = created;
  const subscribed = async () =>
    (await request(`/v2/monitor/${id}`)).data.emailRecipientSubscriptions[0].status;
  expect(await subscribed()).toBe('pending');
  expect((await fetch(confirmUrl, { method: 'POST' })).status).toBe(200);
  expect(await subscribed()).toBe('confirmed');

  expect(await runOnce(id)).toMatchObject({ summary: { new: 1 }, notificationStatus: null });
  price = 9;
  const second = await runOnce(id);
  const [, telling] = await mailServer.until(RECIPIENT, 2);
  expect(telling?.subject).toBe('Prices: 1 changed');
  expect(telling?.text).toContain('- The lamp costs 12 euros.\n  + The lamp costs 9 euros.');
  expect(telling?.html).toMatch(/<del [^>]*>12<\/del> euros\./);
  expect(telling?.text).toContain(`All checks: ${service.url}/console/monitors/${id}`);
  expect(telling?.messageId).toMatch(/^<[\da-f-]{36}@example\.org>$/);
  await pollUntil(async () => {
    const { data } = await request(`/v2/monitor/${id}/checks/${second.id}`);
    return data.notificationStatus?.email.sent === 1;
  });

  const unsubscribeUrl = /<(.*)>/.exec(headerOf(telling!, 'list-unsubscribe') ?? '')?.[1] ?? '';
  const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
  expect((await fetch(unsubscribeUrl, oneClick)).status).toBe(200);
  expect(await subscribed()).toBe('unsubscribed');
  price = 8;
  expect(await runOnce(id)).toMatchObject({ summary: { changed: 1 }, notificationStatus: null });
  expect(mailServer.mails).toHaveLength(2);
});

it('serves no page of a subscription to a URL that was changed', async () => {
  const response = await fetch(`${service.url}/v2/monitor/email/abc.def`, { method: 'POST' });
  expect([response.status, (await response.json()).code]).toEqual([404, 'NOT_FOUND']);
});

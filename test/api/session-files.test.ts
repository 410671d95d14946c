import { connect } from 'puppeteer-core';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { lengthenSession } from '../../src/api/sessions/extend-session.ts';
import { findSession } from '../../src/storage/db/sessions.ts';
import type { Temporal } from '../../src/temporal/workflow-client.ts';
import { call } from '../support/api/call.ts';
import { formOf } from '../support/api/parse.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** Files that are uploaded to browser sessions, and how long sessions last. */

const db = useDatabase();
let team: TestTeam;
const open: string[] = [];
beforeAll(async () => {
  team = await makeTeam(db);
});
afterEach(async () => {
  for (const id of open.splice(0)) await call(`/v2/browser/${id}`, { method: 'DELETE', key: team.key });
});

async function create(body: Record<string, unknown> = {}) {
  const response = await call('/v2/browser', { body, key: team.key });
  open.push(response.body.id);
  return response.body as { id: string; cdpUrl: string; expiresAt: string };
}

const fileOf = (content: string, name = 'report.txt') => formOf({ content, name, type: 'text/plain' });
const upload = (id: string, form: FormData, key = team.key) => call(`/v2/browser/${id}/files`, { form, key });
const execute = async (id: string, code: string) =>
  (await call(`/v2/browser/${id}/execute`, { body: { code }, key: team.key })).body.result;

describe('a file that is uploaded to a session', () => {
  it('is there for code, under a name of its own, and listed', async () => {
    const { id } = await create();
    expect((await upload(id, fileOf('first'))).body).toEqual({
      success: true,
      name: 'report.txt',
      path: '/downloads/report.txt',
      size: 5,
    });
    expect((await upload(id, fileOf('the second'))).body).toMatchObject({ name: 'report (1).txt', size: 10 });
    const read =
      "const fs = require('fs'); ['', ' (1)'].map((n) => fs.readFileSync('/downloads/report' + n + '.txt', 'utf8'))";
    expect(await execute(id, read)).toBe('["first","the second"]');
    const listed = await call(`/v2/browser/${id}/downloads`, { key: team.key });
    expect(listed.body.files.map(({ name }: { name: string }) => name)).toEqual([
      'report (1).txt',
      'report.txt',
    ]);
  });

  it('is given to a page by its name, by a program that has only the URL of the session', async () => {
    const { cdpUrl } = await create();
    const response = await fetch(`${cdpUrl.replace(/^ws/, 'http')}/files`, {
      method: 'POST',
      body: fileOf('from a program', 'invoice.txt'),
    });
    expect(await response.json()).toMatchObject({ success: true, path: '/downloads/invoice.txt' });
    const browser = await connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const page = await browser.newPage();
    await page.setContent('<input type=file>');
    const input = await page.waitForSelector('input[type=file]');
    // The path is one of this machine, where there is no such file.
    await input!.uploadFile('invoice.txt');
    expect(await page.$eval('input', (element) => element.files![0]!.text())).toBe('from a program');
    await browser.disconnect();
  });

  it('counts towards the limit of uploads per minute of its team, without an API key', async () => {
    const limited = await makeTeam(db, { rateLimitPerMinute: 1 });
    const { body } = await call('/v2/browser', { body: {}, key: limited.key });
    const url = `${body.cdpUrl.replace(/^ws/, 'http')}/files`;
    const send = async () => (await fetch(url, { method: 'POST', body: fileOf('x') })).status;
    expect([await send(), await send()]).toEqual([200, 429]);
    await call(`/v2/browser/${body.id}`, { method: 'DELETE', key: limited.key });
  });

  it('is refused to others, without a file, and where the session has no room for it', async () => {
    const { id, cdpUrl } = await create();
    const stranger = await makeTeam(db);
    expect((await upload(id, fileOf('x'), stranger.key)).status).toBe(404);
    const wrong = `${cdpUrl.replace(/^ws/, 'http').slice(0, -1)}_/files`;
    expect((await fetch(wrong, { method: 'POST', body: fileOf('x') })).status).toBe(404);
    const none = await call(`/v2/browser/${id}/files`, { body: {}, key: team.key });
    expect(none).toMatchObject({ status: 400, body: { error: expect.stringContaining('part `file`') } });
    await execute(id, "require('fs').writeFileSync('/downloads/large', Buffer.alloc(104_857_000)); 1");
    expect(await upload(id, fileOf('x'.repeat(10_000)))).toMatchObject({
      status: 413,
      body: { code: 'REQUEST_TOO_LARGE', error: expect.stringContaining('more than 100 MiB') },
    });
    expect(await execute(id, "require('fs').readdirSync('/downloads')")).toBe('["large"]');
    await call(`/v2/browser/${id}`, { method: 'DELETE', key: team.key });
    expect((await upload(id, fileOf('x'))).status).toBe(410);
    const { url } = inject('service');
    expect(cdpUrl).toContain(new URL(url).host);
  });
});

describe('the lifetime of a session', () => {
  const extend = (id: string, body: Record<string, unknown> = {}, key = team.key) =>
    call(`/v2/browser/${id}/extend`, { body, key });
  const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

  it('is lengthened, up to the longest one, and never shortened', async () => {
    const { id, expiresAt } = await create({ ttl: 300 });
    const longer = await extend(id, { ttl: 500 });
    expect(longer.body).toEqual({ success: true, id, expiresAt: expect.any(String) });
    expect(secondsBetween(expiresAt, longer.body.expiresAt)).toBe(200);
    expect((await extend(id, { ttl: 60 })).body.expiresAt).toBe(longer.body.expiresAt);
    expect(secondsBetween(expiresAt, (await extend(id)).body.expiresAt)).toBe(3300);
    expect((await extend(id, { ttl: 3601 })).status).toBe(400);
    const status = await call(`/v2/browser/${id}`, { key: team.key });
    expect(secondsBetween(expiresAt, status.body.expiresAt)).toBe(3300);
    expect((await extend(id, {}, (await makeTeam(db)).key)).status).toBe(404);
  });

  it('is changed only together with its workflow, which is told nothing twice', async () => {
    const { id } = await create({ ttl: 300 });
    const session = (await findSession(db, id))!;
    const told: number[] = [];
    let isFound = false;
    const temporal = {
      extendSession: async (_id: string, expiresAt: number) => {
        told.push(expiresAt);
        return isFound;
      },
    } as unknown as Temporal;
    const lengthen = () => lengthenSession(session, 500, { db, temporal });
    await expect(lengthen()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await findSession(db, id))!.expires_at).toEqual(session.expires_at);
    isFound = true;
    const end = await lengthen();
    expect(secondsBetween(session.expires_at.toISOString(), end.toISOString())).toBe(200);
    expect(await lengthen()).toEqual(end);
    expect(told).toEqual([end.getTime(), end.getTime()]);
  });

  it('is lengthened while the session starts, once its workflow has begun', async () => {
    const { id } = await create({ ttl: 300 });
    const session = (await findSession(db, id))!;
    const started = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const steps: string[] = [];
    const temporal = {
      startSession: () => {
        asked.resolve();
        return started.promise.then(() => void steps.push('started'));
      },
      extendSession: async () => {
        steps.push('extended');
        return true;
      },
    } as unknown as Temporal;
    const end = lengthenSession({ ...session, state: 'creating' }, 500, { db, temporal });
    await asked.promise;
    expect((await findSession(db, id))!.expires_at).toEqual(session.expires_at);
    expect(steps).toEqual([]);
    started.resolve();
    expect(secondsBetween(session.expires_at.toISOString(), (await end).toISOString())).toBe(200);
    expect(steps).toEqual(['started', 'extended']);
  });

  it('is not lengthened after its end', async () => {
    const { id } = await create();
    await call(`/v2/browser/${id}`, { method: 'DELETE', key: team.key });
    expect(await extend(id)).toMatchObject({ status: 410, body: { code: 'SESSION_DESTROYED' } });
  });
});

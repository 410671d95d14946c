import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApiResponse, call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { formOf, htmlFile, parse, type TestFile } from '../support/api/parse.ts';
import { useService } from '../support/service/use-service.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { runUpkeep } from '../support/workflows/upkeep.ts';

/** Files that are uploaded before they are parsed, and what becomes of uploaded files. */

const service = useService();
const PAST = new Date(Date.now() - 60_000);

const db = useDatabase();

type Body = ApiResponse['body'];

async function requestUrl(filename: string, init: { key?: string; url?: string } = {}): Promise<Body> {
  const answer = await call('/v2/parse/upload-url', {
    body: { filename, contentType: 'text/html' },
    ...init,
  });
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ success: true });
  return answer.body.data;
}

async function put(uploadUrl: string, content: TestFile['content']): Promise<{ status: number; body: Body }> {
  const response = await fetch(uploadUrl, { method: 'PUT', body: content });
  return { status: response.status, body: await response.json() };
}

/** Uploads a page. @returns its uploadRef */
async function upload(file = htmlFile('Uploaded'), init: { key?: string } = {}): Promise<string> {
  const { uploadUrl, uploadRef } = await requestUrl(file.name, init);
  expect((await put(uploadUrl, file.content)).status).toBe(200);
  return uploadRef;
}

const rowsOf = (teamId: string) =>
  db.query.selectFrom('uploads').select(['id', 'blob', 'job_id']).where('team_id', '=', teamId).execute();

/** The names of the stored files with encrypted uploads, and their sizes in bytes. */
async function storedSizes(): Promise<Map<string, number>> {
  const root = path.join(service.dataDir, 'blobs', 'uploads');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const sizes = new Map<string, number>();
  for (const each of entries.filter((entry) => entry.isFile())) {
    // Other tests delete theirs meanwhile.
    const found = await stat(path.join(each.parentPath, each.name)).catch(() => undefined);
    if (found) sizes.set(path.basename(each.parentPath) + each.name, found.size);
  }
  return sizes;
}

const storedFiles = async () => [...(await storedSizes()).keys()];

describe('a file that is uploaded to a URL', () => {
  it('counts towards a limit of its team, which is not that of its requests', async () => {
    const { key } = await makeTeam(db, { rateLimitPerMinute: 2 });
    const { uploadUrl, uploadRef } = await requestUrl('page.html', { key });
    const { content } = htmlFile('Uploaded');
    for (let uploads = 0; uploads < 2; uploads++) expect((await put(uploadUrl, content)).status).toBe(200);
    expect(await put(uploadUrl, content)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect((await call('/v2/parse', { key, body: { uploadRef } })).status).toBe(200);
    expect((await put((await requestUrl('page.html')).uploadUrl, content)).status).toBe(200);
  });

  it('replaces the file that was uploaded to it before, whose bytes are deleted', async () => {
    const { id: teamId, key } = await makeTeam(db);
    const { uploadUrl, uploadRef } = await requestUrl('page.html', { key });
    await put(uploadUrl, htmlFile('First').content);
    const [{ blob: first } = { blob: '' }] = await rowsOf(teamId);
    await put(uploadUrl, htmlFile('Second').content);
    expect(await storedFiles()).not.toContain(first);
    const { body } = await call('/v2/parse', { key, body: { uploadRef } });
    expect(body.data.markdown).toContain('# Second');
  });

  it('is parsed by its uploadRef, once', async () => {
    const { uploadUrl, uploadRef, ...data } = await requestUrl('dir/报告.html');
    expect(data).toMatchObject({ method: 'PUT', maxSizeBytes: 50 * 1024 * 1024 });
    const minutes = (Date.parse(data.expiresAt) - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(60);
    expect(uploadUrl).toContain(`${service.url}/v2/parse/upload/`);
    const sent = await put(uploadUrl, htmlFile('Uploaded').content);
    expect(sent).toEqual({ status: 200, body: { success: true } });
    const { status, body } = await call('/v2/parse', { body: { uploadRef, formats: ['markdown'] } });
    expect([status, body.data?.markdown]).toEqual([200, '# Uploaded\n\nThe text of the page.']);
    expect(body.data.metadata).toMatchObject({
      sourceFile: '报告.html',
      contentType: 'text/html',
      creditsUsed: 1,
    });
    const again = await call('/v2/parse', { body: { uploadRef } });
    expect([again.status, again.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('can be replaced until it is parsed', async () => {
    const { uploadUrl, uploadRef } = await requestUrl('page.html');
    await put(uploadUrl, htmlFile('The first').content);
    expect((await put(uploadUrl, htmlFile('The second').content)).status).toBe(200);
    const { body } = await call('/v2/parse', { body: { uploadRef } });
    expect(body.data.markdown).toContain('The second');
  });

  it('is parsed for its own team only', async () => {
    const [owner, other] = await Promise.all([makeTeam(db), makeTeam(db)]);
    const uploadRef = await upload(htmlFile('Mine'), owner);
    const refused = await call('/v2/parse', { body: { uploadRef }, key: other.key });
    expect([refused.status, refused.body.code]).toEqual([404, 'NOT_FOUND']);
    const { status } = await call('/v2/parse', { body: { uploadRef }, key: owner.key });
    expect(status).toBe(200);
  });

  it('is parsed only after it was uploaded, and in its hour', async () => {
    const team = await makeTeam(db);
    const { uploadRef } = await requestUrl('late.html', team);
    const early = await call('/v2/parse', { body: { uploadRef }, key: team.key });
    expect([early.status, early.body.code]).toEqual([404, 'NOT_FOUND']);
    const late = await upload(htmlFile('Late'), team);
    await db.query.updateTable('uploads').set({ expires_at: PAST }).where('team_id', '=', team.id).execute();
    const answer = await call('/v2/parse', { body: { uploadRef: late }, key: team.key });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    const jobs = await db.query.selectFrom('jobs').select('id').where('team_id', '=', team.id).execute();
    expect(jobs).toEqual([]);
  });

  it('is refused if it is empty or too large', async () => {
    const { uploadUrl } = await requestUrl('page.html');
    expect(await put(uploadUrl, '')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const large = await put(uploadUrl, new Uint8Array(50 * 1024 * 1024 + 1));
    expect(large).toMatchObject({ status: 413, body: { code: 'REQUEST_TOO_LARGE' } });
    const declared = {
      filename: 'a.pdf',
      contentType: 'application/pdf',
      declaredSizeBytes: 50 * 1024 * 1024 + 1,
    };
    const refused = await call('/v2/parse/upload-url', { body: declared });
    expect([refused.status, refused.body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
  });

  it.each([
    [{}],
    [{ filename: '' }],
    [{ filename: '..' }],
    [{ filename: 'dir/' }],
    [{ filename: 'a', foo: 1 }],
  ])('needs a name: %j', async (body) => {
    const answer = await call('/v2/parse/upload-url', { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

it.each([
  [{ filename: 'film.mp4' }, 'film.mp4 is not of a type'],
  [{ filename: 'film', contentType: 'video/mp4' }, 'film (video/mp4) is not of a type'],
])('%j gets no URL to upload to, because it would be refused after the upload', async (body, message) => {
  const refused = await call('/v2/parse/upload-url', { body });
  expect([refused.status, refused.body.code]).toEqual([400, 'UNSUPPORTED_FILE_TYPE']);
  expect(refused.body.error).toContain(message);
  expect(refused.body.error).toMatch(/can be parsed: html, .* say so by contentType/);
});

it('a name and a declared type of two kinds are answered with a warning', async () => {
  const warningOf = async (contentType: string) =>
    (await call('/v2/parse/upload-url', { body: { filename: 'a.pdf', contentType } })).body.data.warning;
  expect(await warningOf('application/zip')).toBe(
    'contentType is application/zip, but the name a.pdf says application/pdf. The bytes of the file decide: leave contentType out, or correct the name.',
  );
  expect(await warningOf('application/pdf')).toBeUndefined();
});

describe('a signed token', () => {
  const refused = { status: 404, body: { success: false, code: 'NOT_FOUND' } };

  it('that was changed, invented or made for something else uploads nothing', async () => {
    const { uploadUrl, uploadRef } = await requestUrl('page.html');
    const [base, token] = [uploadUrl.slice(0, uploadUrl.lastIndexOf('/') + 1), uploadUrl.split('/').at(-1)];
    const [payload, signature] = token.split('.');
    const foreign = JSON.parse(Buffer.from(payload, 'base64url').toString());
    foreign[1] = crypto.randomUUID();
    const forged = Buffer.from(JSON.stringify(foreign)).toString('base64url');
    for (const bad of ['x', `${payload}.`, `${payload}.x`, `${forged}.${signature}`, uploadRef]) {
      expect(await put(base + bad, '<h1>Forged</h1>'), bad).toMatchObject(refused);
    }
  });

  it('that was changed, invented or made for something else parses nothing', async () => {
    const { uploadUrl, uploadRef } = await requestUrl('page.html');
    await put(uploadUrl, htmlFile('Signed').content);
    for (const bad of ['', 'x', `${uploadRef}x`, uploadUrl.split('/').at(-1)]) {
      expect(await call('/v2/parse', { body: { uploadRef: bad } }), bad).toMatchObject(refused);
    }
    const wrong = await call('/v2/parse', { body: { uploadRef: 5 } });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('the bytes of an uploaded file', () => {
  it('are deleted half an hour after the API server died before it started the job, which then fails', async () => {
    const team = await makeTeam(db);
    await upload(htmlFile('Lost'), team);
    const [stored] = await rowsOf(team.id);
    const jobId = crypto.randomUUID();
    const longAgo = new Date(Date.now() - 31 * 60_000);
    await db.query
      .insertInto('jobs')
      .values({
        id: jobId,
        team_id: team.id,
        kind: 'scrape',
        target: 'a',
        request: JSON.stringify({ url: 'a' }),
        created_at: longAgo,
        expires_at: new Date(Date.now() + 3_600_000),
      })
      .execute();
    await db.query.updateTable('uploads').set({ job_id: jobId }).where('id', '=', stored!.id).execute();
    await runUpkeep(service.temporalAddress);
    await pollUntil(async () => (await rowsOf(team.id)).length === 0);
    await pollUntil(async () => !(await storedFiles()).includes(stored!.blob));
    const { body } = await pollUntil(async () => {
      const response = await call(`/v2/scrape/${jobId}`, { key: team.key });
      return response.status === 503 && response;
    });
    expect(body.code).toBe('SERVICE_UNAVAILABLE');
  });

  it('are deleted when their job ends, also if it fails', async () => {
    const team = await makeTeam(db);
    await parse(htmlFile('Kept no longer'), undefined, team);
    await call('/v2/parse', { body: { uploadRef: await upload(htmlFile('A'), team) }, key: team.key });
    const failed = await parse({ content: 'MZ\0\0', name: 'a.exe' }, undefined, team);
    expect(failed.body.code).toBe('UNSUPPORTED_FILE_TYPE');
    expect(await rowsOf(team.id)).toEqual([]);
  });

  it('are stored encrypted, and deleted by upkeep if they are never parsed', async () => {
    const team = await makeTeam(db);
    await upload(htmlFile('Never parsed'), team);
    const [row] = await rowsOf(team.id);
    expect(await storedFiles()).toContain(row?.blob);
    await db.query.updateTable('uploads').set({ expires_at: PAST }).where('team_id', '=', team.id).execute();
    await runUpkeep(service.temporalAddress);
    await pollUntil(async () => (await rowsOf(team.id)).length === 0);
    await pollUntil(async () => !(await storedFiles()).includes(row!.blob));
  });

  it('cannot be replaced while they are parsed', async () => {
    const team = await makeTeam(db);
    const { uploadUrl } = await requestUrl('page.html', team);
    // A length that no other upload has.
    const content = `<p>Parsed</p>${' '.repeat(20_000 + (Date.now() % 20_000))}`;
    await put(uploadUrl, content);
    // A job that runs, as if a worker were at it.
    const { body } = await parse(htmlFile('Another'), undefined, team);
    const { scrapeId } = body.data.metadata;
    // The end of that job, which deletes the file that it uses, may follow its response.
    await pollUntil(async () => (await rowsOf(team.id)).length === 1);
    await db.query.updateTable('uploads').set({ job_id: scrapeId }).where('team_id', '=', team.id).execute();
    const [row] = await rowsOf(team.id);
    const replaced = await put(uploadUrl, content);
    expect(replaced).toMatchObject({ status: 409, body: { code: 'UPLOAD_IN_USE' } });
    // The bytes of the refused file are not kept either.
    const sizes = await storedSizes();
    expect([...sizes.values()].filter((size) => size === sizes.get(row?.blob ?? ''))).toHaveLength(1);
  });
});

describe('stored uploads', () => {
  /** Uploads small pages until one is refused. @returns how many were stored, and the refusal */
  async function fill(init: { key: string; url: string }) {
    for (let stored = 0; stored < 8; stored++) {
      const { uploadUrl } = await requestUrl('page.html', init);
      const response = await fetch(uploadUrl, { method: 'PUT', body: htmlFile('Stored').content });
      if (response.status !== 200) return { stored, refused: response, body: await response.json() };
    }
    throw new Error('no upload was refused');
  }

  it('of a team have a limit, which makes room when a file is parsed', async () => {
    const [team, other] = await Promise.all([makeTeam(db), makeTeam(db)]);
    await using app = await startApi({ WINNOW_MAX_TEAM_UPLOADS_MB: '1' });
    const init = { key: team.key, url: app.url };
    const { uploadUrl, uploadRef } = await requestUrl('first.html', init);
    expect((await put(uploadUrl, htmlFile('First').content)).status).toBe(200);
    const { stored, refused, body } = await fill(init);
    // Each small file counts as 256 KiB.
    expect(stored).toBe(3);
    expect([refused.status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.error).toContain('may have 1 MiB');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3600);
    expect(seconds).toBeLessThanOrEqual(4200);
    const file = htmlFile('Sent');
    const sent = await call('/v2/parse', { form: formOf(file), ...init });
    expect([sent.status, sent.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await put(uploadUrl, htmlFile('Replaced').content)).status).toBe(200);
    expect((await call('/v2/parse', { form: formOf(file), ...init, key: other.key })).status).toBe(200);
    expect((await call('/v2/parse', { body: { uploadRef }, ...init })).status).toBe(200);
    await pollUntil(async () => (await rowsOf(team.id)).length === 3);
    expect((await fill(init)).stored).toBe(1);
  });

  it('of all teams have a limit together', async () => {
    const teams = await Promise.all([makeTeam(db), makeTeam(db)]);
    await using app = await startApi({ WINNOW_MAX_UPLOADS_MB: '1' });
    const [first, second] = teams.map(({ key }) => ({ key, url: app.url }));
    expect((await fill(first!)).stored).toBeLessThanOrEqual(4);
    const { stored, refused, body } = await fill(second!);
    expect([stored, refused.status, body.code]).toEqual([0, 503, 'INSUFFICIENT_STORAGE']);
    expect(body.error).toContain('WINNOW_MAX_UPLOADS_MB');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findJob } from '../../src/storage/db/jobs/jobs.ts';
import { recordLongConversion } from '../../src/storage/db/jobs/long-conversions.ts';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { call } from '../support/api/call.ts';
import { formOf, htmlFile, multipart, parse } from '../support/api/parse.ts';
import { useService } from '../support/service/use-service.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Files that are sent in the request itself; those that are uploaded before are in uploads.test.ts. */

const service = useService();
const MB = 1024 * 1024;

const db = useDatabase();

describe('a parsed file', () => {
  it('has the formats and metadata of a scrape, and is read again as a scrape', async () => {
    const { status, body } = await parse(htmlFile('A file'), { formats: ['markdown', 'html', 'rawHtml'] });
    expect([status, body.success]).toEqual([200, true]);
    expect(body.data.markdown).toBe('# A file\n\nThe text of the page.');
    expect(body.data.html).toContain('<h1>A file</h1>');
    expect(body.data.rawHtml).toMatch(/^<!doctype html>/);
    expect(body.data.metadata).toMatchObject({
      title: 'A file',
      sourceFile: 'page.html',
      sourceURL: 'https://uploads.invalid/page.html',
      url: 'https://uploads.invalid/page.html',
      statusCode: 200,
      contentType: 'text/html',
      creditsUsed: 1,
    });
    expect(body.data.metadata).not.toHaveProperty('cacheState');
    const { body: read } = await call(`/v2/scrape/${body.data.metadata.scrapeId}`);
    expect(read).toEqual({ success: true, status: 'completed', data: body.data });
  });

  it('may be a PDF of which only the pages are read that the team can pay for', async () => {
    const team = await makeTeam(db, { credits: 2 });
    const pages = ['first', 'second', 'third'].map((name) => ({
      texts: textLines(72, 80, [`The ${name} page.`]),
    }));
    const file = { content: new Uint8Array(writePdf(pages)), name: 'long.pdf' };
    const { body } = await parse(file, undefined, team);
    expect(body.data.markdown).toBe('The first page.\n\nThe second page.');
    expect(body.data.warning).toContain('Only 2 of 3 pages were read, because the team has no credits');
    expect(body.data.metadata).toMatchObject({ numPages: 2, totalPages: 3, creditsUsed: 2 });
    const usage = await call('/v2/team/credit-usage', { key: team.key });
    expect(usage.body.data.remainingCredits).toBe(0);
  });

  it('is joined by the same request once more after its timeout if the team has no credits left', async () => {
    const team = await makeTeam(db, { credits: 1 });
    const file = htmlFile('Long', 'long.html');
    const { scrapeId: jobId } = (await parse(file, undefined, team)).body.data.metadata;
    // The request of a job is the body that was sent.
    const request = (await findJob(db, jobId))!.request as object;
    const conversion = { isRunning: true, pages: undefined, remainingSeconds: undefined };
    const endsAt = new Date(Date.now() + 60_000);
    await recordLongConversion(db, {
      jobId,
      teamId: team.id,
      request: { ...request },
      endsAt,
      ...conversion,
    });
    const other = await parse(htmlFile('Another', 'long.html'), undefined, team);
    expect([other.status, other.body.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    const joined = await parse(file, undefined, team);
    expect([joined.status, joined.body.data?.metadata.scrapeId]).toEqual([200, jobId]);
    expect((await parse(file, undefined, team)).status).toBe(402);
  });

  it('may be a PDF, which is billed by the page', async () => {
    const content = writePdf([
      { texts: textLines(72, 80, ['The first page has text.']) },
      { texts: textLines(72, 80, ['The second page has more.']) },
    ]);
    const { body } = await parse({ content: new Uint8Array(content), name: 'report.pdf' });
    expect(body.data.markdown).toBe('The first page has text.\n\nThe second page has more.');
    expect(body.data.metadata).toMatchObject({
      sourceFile: 'report.pdf',
      contentType: 'application/pdf',
      numPages: 2,
      totalPages: 2,
      creditsUsed: 2,
    });
  });

  it('is described by its bytes if its declared type is another one', async () => {
    const content = new Uint8Array(writePdf([{ texts: textLines(72, 80, ['A PDF in disguise.']) }]));
    const { body } = await parse({ content, name: 'letter.doc', type: 'application/msword' });
    expect(body.data.markdown).toBe('A PDF in disguise.');
    expect(body.data.metadata).toMatchObject({ sourceFile: 'letter.doc', contentType: 'application/pdf' });
  });

  it('is in the activity list of its team as a scrape, and billed once', async () => {
    const team = await makeTeam(db, { credits: 10 });
    const { body } = await parse(htmlFile('Listed', 'list.html'), undefined, team);
    const activity = await call('/v2/team/activity?endpoint=scrape', { key: team.key });
    expect(activity.body.data).toMatchObject([
      { id: body.data.metadata.scrapeId, endpoint: 'scrape', target: 'https://uploads.invalid/list.html' },
    ]);
    const usage = await call('/v2/team/credit-usage', { key: team.key });
    expect(usage.body.data.remainingCredits).toBe(9);
  });

  it('keeps its relative links in every format, and resolves only those with a base elsewhere', async () => {
    const content = `<main><h1 id="top">Links</h1><p><a href="next/page.html?a=1#part">next</a>
      <a href="/root.html">root</a> <a href="../up.html">up</a> <a href="#top">top</a>
      <a href="https://example.com/a">absolute</a> <a href="mailto:a@example.com">mail</a>
      <a href="javascript:void 0">script</a></p><p><img src="images/one.png" alt="One"></p></main>`;
    const formats = ['markdown', 'html', 'links', 'images'];
    const { data } = (await parse({ content, name: 'a.html', type: 'text/html' }, { formats })).body;
    const links = ['next/page.html?a=1#part', '/root.html', '../up.html'];
    expect(data.links).toEqual([...links, 'https://example.com/a', 'mailto:a@example.com']);
    for (const link of [...links, '#top']) {
      expect(data.markdown).toContain(`](${link})`);
      expect(data.html).toContain(`href="${link}"`);
    }
    expect(data.markdown).toContain('![One](images/one.png)');
    expect(data.images).toEqual(['images/one.png']);
    const based = `<base href="https://example.com/docs/">${content}`;
    const again = await parse({ content: based, name: 'a.html', type: 'text/html' }, { formats });
    expect(again.body.data.links).toContain('https://example.com/docs/next/page.html?a=1#part');
  });

  it('is filtered by the same options as a page', async () => {
    const content = '<main><h1>Kept</h1><p class="no">Dropped</p></main>';
    const { body } = await parse({ content, name: 'a.html' }, { excludeTags: ['.no'] });
    expect(body.data.markdown).toBe('# Kept');
    const raw = await parse({ content, name: 'a.html' }, { formats: ['rawBase64'] });
    expect(Buffer.from(raw.body.data.rawBase64, 'base64').toString()).toBe(content);
  });

  it('has a timeout of its own', async () => {
    const refused = await parse(htmlFile('Slow'), { timeout: 999 });
    expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST']);
    const { status } = await parse(htmlFile('Slow'), { timeout: 300_000 });
    expect(status).toBe(200);
  });

  it('may come before its options, which clients send first', async () => {
    const form = formOf(htmlFile('In reverse'));
    form.append('options', JSON.stringify({ formats: ['links'], origin: 'test', integration: null }));
    const { status, body } = await call('/v2/parse', { form });
    expect([status, Object.keys(body.data)]).toEqual([200, ['links', 'metadata']]);
  });
});

describe('the name of a file', () => {
  it.each([
    ['报告 2026.html', '报告 2026.html'],
    ['تقرير.html', 'تقرير.html'],
    ['отчёт.HTML', 'отчёт.HTML'],
    ['📄 notes.html', '📄 notes.html'],
    ['a "quoted" name.html', 'a "quoted" name.html'],
    ["it's 100% #1? & more;.html", "it's 100% #1? & more;.html"],
    ['../../etc/passwd.html', 'passwd.html'],
    ['/absolute/path.html', 'path.html'],
    ['C:\\Users\\me\\file.html', 'file.html'],
    ['<script>.html', '<script>.html'],
  ])('%s becomes the sourceFile %s', async (sent, name) => {
    const { status, body } = await parse(htmlFile('Named', sent));
    expect([status, body.data?.metadata.sourceFile]).toEqual([200, name]);
    const url = `https://uploads.invalid/${encodeURIComponent(name)}`;
    expect(body.data.metadata).toMatchObject({ sourceURL: url, url });
  });

  it('may be encoded as RFC 5987 says', async () => {
    const body = multipart([
      [
        `form-data; name="file"; filename="x.html"; filename*=UTF-8''%E2%82%AC%20rates.html`,
        '<h1>Rates</h1>',
      ],
    ]);
    const response = await call('/v2/parse', body);
    expect(response.body.data.metadata.sourceFile).toBe('€ rates.html');
  });

  it.each([
    ['a NUL', "filename*=utf-8''a%00b.html"],
    ['a line break', "filename*=utf-8''a%0Ab.html"],
    ['1,001 characters', `filename="${'a'.repeat(996)}.html"`],
  ])('is refused with %s', async (_name, parameter) => {
    const body = multipart([[`form-data; name="file"; ${parameter}`, '<h1>A</h1>']]);
    const { status, body: response } = await call('/v2/parse', body);
    expect([status, response.code]).toEqual([400, 'BAD_REQUEST']);
    expect(response.error).toContain('file name');
  });

  it('may not be a path without a file', async () => {
    for (const name of ['..', 'folder/', '']) {
      const response = await call(
        '/v2/parse',
        multipart([[`form-data; name="file"; filename="${name}"`, 'x']]),
      );
      expect([name, response.status, response.body.code]).toEqual([name, 400, 'BAD_REQUEST']);
    }
  });
});

describe('the type of a file', () => {
  it.each([
    ['bytes before the name', { content: '<!doctype html><h1>Page</h1>', name: 'page.pdf' }],
    ['bytes of a name without an extension', { content: '<html><h1>Page</h1>', name: 'page' }],
    ['the declared type', { content: '<h1>Page</h1>', name: 'page', type: 'text/html' }],
    ['the name, if the type says nothing', { content: 'Page<br>two', name: 'a.htm' }],
    [
      'the name, if the type is that of any text',
      { content: '<h1>Page</h1>', name: 'a.xhtml', type: 'text/plain' },
    ],
  ])('is told by %s', async (_name, file) => {
    const { status, body } = await parse(file);
    expect([status, body.data?.markdown]).toEqual([200, expect.stringMatching(/^(# )?Page/)]);
  });

  it.each([
    ['plain text', { content: 'Some text', name: 'notes.txt', type: 'text/plain' }],
    ['JSON', { content: '{"a":1}', name: 'data.json', type: 'application/json' }],
    ['a program', { content: 'MZ\0\0\x01', name: 'setup.exe' }],
    ['a program with the name of a page', { content: 'MZ\0\0\x01\x02', name: 'page.html' }],
    ['text without an extension', { content: 'Some text', name: 'README' }],
    ['an archive', { content: 'PK\x03\x04rest of an archive', name: 'files.zip' }],
  ])('of %s is refused, at no cost', async (_name, file) => {
    const team = await makeTeam(db, { credits: 5 });
    const { status, body } = await parse(file, undefined, team);
    expect([status, body.code]).toEqual([400, 'UNSUPPORTED_FILE_TYPE']);
    expect(body.error).toContain(file.name);
    expect(body.error).toContain('docx');
    const usage = await call('/v2/team/credit-usage', { key: team.key });
    expect(usage.body.data.remainingCredits).toBe(5);
  });
});

describe('a parse request is refused', () => {
  it.each([
    ['actions', { actions: [{ type: 'wait', milliseconds: 1 }] }],
    ['waitFor', { waitFor: 1 }],
    ['mobile', { mobile: true }],
    ['location', { location: { country: 'DE' } }],
    ['proxy', { proxy: 'stealth' }],
    ['proxy', { proxy: 'enhanced' }],
    ['maxAge', { maxAge: 0 }],
    ['profile', { profile: { name: 'x' } }],
    ['lockdown', { lockdown: true }],
    ['screenshot', { formats: ['screenshot'] }],
    ['screenshot', { formats: ['markdown', { type: 'screenshot', fullPage: true }] }],
    ['changeTracking', { formats: ['markdown', 'changeTracking'] }],
    ['branding', { formats: ['branding'] }],
    ['audio', { formats: ['audio'] }],
    ['video', { formats: ['video'] }],
  ])('for the option %s: %j', async (name, options) => {
    const { status, body } = await parse(htmlFile('Refused'), options);
    expect([status, body.code]).toEqual([400, 'PARSE_UNSUPPORTED_OPTIONS']);
    expect(body.error).toContain(name);
  });

  it('not for options that have no effect', async () => {
    const { status } = await parse(htmlFile('Accepted'), {
      actions: [],
      waitFor: 0,
      mobile: false,
      proxy: 'auto',
      storeInCache: true,
      fastMode: true,
      headers: { a: 'b' },
      skipTlsVerification: false,
      blockAds: false,
      auditMetadata: { username: 'me' },
    });
    expect(status).toBe(200);
  });

  it.each([
    ['an unknown option', { foo: 1 }, 'Unrecognized key'],
    ['a URL', { url: 'https://example.com' }, 'Unrecognized key'],
    ['an unknown format', { formats: ['nonsense'] }, 'nonsense'],
    ['an invalid selector', { includeTags: ['['] }, 'CSS selector'],
    ['an uploadRef beside the file', { uploadRef: 'x' }, 'Unrecognized key'],
  ])('for %s', async (_name, options, message) => {
    const { status, body } = await parse(htmlFile('Refused'), options);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error).toContain(message);
  });

  const file = ['form-data; name="file"; filename="a.html"', '<h1>A</h1>'] as const;
  const field = (name: string, value: string) => [`form-data; name="${name}"`, value] as const;
  it.each([
    ['no file', [field('options', '{}')], 'file'],
    ['a file in another part', [['form-data; name="document"; filename="a.html"', 'x']], '`file`'],
    ['two files', [file, file], 'one file'],
    ['a file without a name', [field('file', '<h1>A</h1>')], 'name'],
    ['an empty file', [['form-data; name="file"; filename="a.html"', '']], 'empty'],
    ['options that are not JSON', [file, field('options', '{"formats":')], 'JSON'],
    ['options that are a list', [file, field('options', '[]')], 'JSON object'],
    ['options that are null', [file, field('options', 'null')], 'JSON object'],
    ['options that are a text', [file, field('options', '"markdown"')], 'JSON object'],
    ['options in two parts', [field('options', '{}'), file, field('options', '{}')], 'one part'],
    [
      'options as single fields',
      [file, field('options[formats]', 'markdown')],
      'as JSON in one field `options`',
    ],
    ['options as a file', [file, ['form-data; name="options"; filename="o.json"', '{}']], 'one file'],
    ['another field', [file, field('formats', 'markdown')], 'formats'],
    ['a field without a name', [file, ['form-data', 'x']], 'multipart'],
  ])('for %s', async (_name, parts, message) => {
    const { status, body } = await call('/v2/parse', multipart(parts as [string, string][]));
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error).toContain(message);
  });

  const [head, content] = file;
  const part = `Content-Disposition: ${head}\r\n\r\n${content}`;
  it.each([
    ['without a boundary', 'multipart/form-data', `--b\r\n${part}\r\n--b--\r\n`],
    ['with another boundary', 'multipart/form-data; boundary=c', `--b\r\n${part}\r\n--b--\r\n`],
    ['that ends in the middle', 'multipart/form-data; boundary=b', `--b\r\n${part}`],
    ['that ends in a header', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-da'],
    ['that is empty', 'multipart/form-data; boundary=b', ''],
    ['of another multipart type', 'multipart/mixed; boundary=b', `--b\r\n${part}\r\n--b--\r\n`],
  ])('for a multipart body %s', async (_name, type, raw) => {
    const { status, body } = await call('/v2/parse', {
      raw,
      method: 'POST',
      headers: { 'Content-Type': type },
    });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('for JSON without an uploadRef, or no body at all', async () => {
    for (const init of [{ body: { formats: ['markdown'] } }, { method: 'POST' }]) {
      const { status, body } = await call('/v2/parse', init);
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    }
    const { body } = await call('/v2/parse', { body: {} });
    expect(body.error).toContain('multipart/form-data');
    const broken = await call('/v2/parse', { raw: '{' });
    expect(broken.body.code).toBe('BAD_REQUEST_INVALID_JSON');
  });
});

describe('the order of checks', () => {
  it('is key, credits, body', async () => {
    const poor = await makeTeam(db, { credits: 0 });
    const broken = multipart([['form-data; name="file"', 'x']]);
    const anonymous = await call('/v2/parse', { ...broken, key: null });
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'UNAUTHORIZED']);
    const unpaid = await call('/v2/parse', { ...broken, key: poor.key });
    expect([unpaid.status, unpaid.body.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect((await call('/v2/parse', broken)).body.code).toBe('BAD_REQUEST');
  });

  it('refuses a large file without a key before it has arrived', async () => {
    const headers = {
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': String(50 * MB),
    };
    const waiting = request(`${service.url}/v2/parse`, { method: 'POST', headers });
    waiting.write('--b\r\n');
    const [response] = await once(waiting, 'response');
    waiting.on('error', () => undefined).destroy();
    expect(response.statusCode).toBe(401);
  });
});

describe('the size of a file', () => {
  const page = (bytes: number) => {
    const content = new Uint8Array(bytes).fill(0x20);
    content.set(Buffer.from('<!doctype html><h1>Large</h1><!--'));
    content.set(Buffer.from('-->'), bytes - 3);
    return { content, name: 'large.html', type: 'text/html' };
  };

  it('may be 50 MB', async () => {
    const { status, body } = await parse(page(50 * MB), { timeout: 300_000 });
    expect([status, body.data?.markdown]).toEqual([200, '# Large']);
  });

  it('of several may exceed what an API process has in memory at once', async () => {
    // Five exceed the memory for all teams, three that for one team.
    const count = IS_FULL_RUN ? 5 : 3;
    const all = Array.from({ length: count }, async (_, n) => {
      const send = () => parse({ ...page(45 * MB), name: `${n}.html` }, { timeout: 300_000 });
      // A request that has waited half a minute for memory is asked to come again, which happens on a busy
      // machine only.
      return pollUntil(async () => {
        const response = await send();
        return ![429, 503].includes(response.status) && response;
      });
    });
    for (const { status } of await Promise.all(all)) expect(status).toBe(200);
  });

  it('may not be a byte more', async () => {
    const { status, body } = await parse(page(50 * MB + 1));
    expect([status, body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
    expect(body.error).toContain('50 MB');
  });

  it('may not be announced beyond all limits', async () => {
    const { status, body } = await parse(page(70 * MB));
    expect([status, body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
  });

  it('of the options may not exceed that of JSON bodies', async () => {
    const { status, body } = await parse(htmlFile('Options'), { includeTags: ['p'.repeat(11 * MB)] });
    expect([status, body.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
    expect(body.error).toContain('options');
  });
});

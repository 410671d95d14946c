import { describe, expect, it } from 'vitest';
import { call } from '../support/api.ts';
import { htmlFile, parse } from '../support/parse.ts';

describe('POST /v2/parse', () => {
  it('converts an HTML file to markdown', async () => {
    const { status, body } = await parse(htmlFile('A file'), { formats: ['markdown', 'links'] });
    expect(body, JSON.stringify(body)).toMatchObject({ success: true });
    expect(status).toBe(200);
    expect(body.data.markdown).toContain('# A file');
    expect(body.data.metadata).toMatchObject({
      sourceFile: 'page.html',
      sourceURL: 'https://uploads.invalid/page.html',
      url: 'https://uploads.invalid/page.html',
      title: 'A file',
      statusCode: 200,
      contentType: 'text/html',
      creditsUsed: 1,
    });
    const read = await call(`/v2/scrape/${body.data.metadata.scrapeId}`);
    expect(read.body).toEqual({ success: true, status: 'completed', data: body.data });
  });
});

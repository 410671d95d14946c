import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

describe('a page of XHTML', () => {
  const html = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title>
    <script src="a.js" type='text/javascript'/></head><body><h2><a id="top"/>Head</h2><textarea/><p>a<br/>b <b/>c</p>
    <img src="/i.png" alt="i"/></body></html>`;
  const XHTML = { contentType: 'application/xhtml+xml; charset=utf-8' };

  it('ends its elements where XML ends them', () => {
    const { markdown, metadata } = contentOf(html, {}, XHTML);
    expect(markdown).toBe('## Head\n\na  \nb c\n\n![i](https://site.test/i.png)');
    expect(metadata.title).toBe('T');
  });

  it('that is sent as HTML is parsed as HTML', () => {
    expect(contentOf(html).markdown).toBe('');
  });

  it('is read in time that grows with its length', () => {
    for (const part of ['<a ', '<a b="', "<a b='", '<a b="" ', '<a/', ' ']) {
      expect(contentOf(`<p>x</p><a${part.repeat(100_000)}`, {}, XHTML).markdown).toContain('x');
    }
  });
});

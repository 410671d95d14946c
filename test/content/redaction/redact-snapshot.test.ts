import { describe, expect, it } from 'vitest';
import { createContent } from '../../../src/content/html/content.ts';
import { redactSnapshot } from '../../../src/content/redaction/redact-snapshot.ts';
import { type Redaction, redactionOf } from '../../../src/content/redaction/redaction.ts';
import { render } from '../../../src/content/rendering/render.ts';
import type { Snapshot } from '../../../src/content/snapshot.ts';

/** Personal data in the source of pages, and what outputs have in its place. */

const DEFAULT: Redaction = { mode: 'accurate', replaceStyle: 'tag' };

const snapshotOf = (text: string, properties: Partial<Snapshot> = {}): Snapshot => ({
  sourceUrl: 'https://site.example/',
  url: 'https://site.example/',
  statusCode: 200,
  contentType: 'text/html',
  kind: 'html',
  text,
  engine: 'http',
  fetchedAt: 0,
  files: {},
  proxy: 'basic',
  ...properties,
});

const redact = (text: string, options: Partial<Redaction> = {}, properties: Partial<Snapshot> = {}) =>
  redactSnapshot(snapshotOf(text, properties), { ...DEFAULT, ...options }, () => undefined).text;

async function renderRedacted(text: string, formats: string[], options: Partial<Redaction> = {}) {
  const { fields, metadata } = await render({
    snapshot: snapshotOf(text),
    clean: { onlyMainContent: false, removeBase64Images: true },
    formats: formats.map((type) => ({ type })),
    redaction: { ...DEFAULT, ...options },
  });
  return { ...fields, metadata };
}

describe('in the source of a page, personal data', () => {
  it('is replaced across markup, and the markup stays', () => {
    expect(redact('<p>jo<b>hn</b>@<i>example</i>.com!</p>')).toBe('<p>&lt;EMAIL&gt;<b></b><i></i>!</p>');
  });

  it('is found behind character references and invisible characters', () => {
    expect(redact('<p>john&#64;example&period;com, a&shy;b&#x40;c.org</p>')).toBe(
      '<p>&lt;EMAIL&gt;, &lt;EMAIL&gt;&shy;</p>',
    );
  });

  it('is not joined across cells and paragraphs', () => {
    const table = '<table><tr><td>415</td><td>555</td><td>2671</td></tr></table>';
    expect(redact(table)).toBe(table);
  });

  it('is found over a line break in an address', () => {
    expect(redact('<p lang="de">Karl-Marx-Allee 12<br>10243 Berlin</p>')).toBe(
      '<p lang="de">&lt;LOCATION&gt;<br></p>',
    );
  });

  it('is replaced in attributes that readers see, in any order of quotes', () => {
    expect(
      redact(`<img alt='mail a@b.example' src=x.png title="call +1 415-555-2671" class="c4155552671">`),
    ).toBe(`<img alt='mail &lt;EMAIL&gt;' src=x.png title="call &lt;PHONE&gt;" class="c4155552671">`);
  });

  it('leaves URLs that work as URLs', () => {
    const link = (href: string) => redact(`<a href="${href}">x</a>`).slice(9, -7);
    expect(link('mailto:a.b@c.example?subject=Hi')).toBe('mailto:EMAIL?subject=Hi');
    expect(link('tel:+14155552671')).toBe('tel:PHONE');
    expect(link('https://wa.me/14155552671')).toBe('https://wa.me/PHONE');
    expect(link('/unsubscribe?to=a%40b.example&amp;id=4155552671')).toBe(
      '/unsubscribe?to=EMAIL&amp;id=4155552671',
    );
    expect(link('https://user@site.example/2024-03-12/logo@2x.png')).toBe(
      'https://user@site.example/2024-03-12/logo@2x.png',
    );
  });

  it('is replaced in comments and scripts, whose other numbers stay', () => {
    const script = 'var id = 4155552671, phone = "+1 415-555-2671", mail = "a@b.example";';
    expect(
      redact(`<!-- by a@b.example --><script>${script}</script><style>a{width:4155552671px}</style>`),
    ).toBe(
      `<!-- by <EMAIL> --><script>var id = 4155552671, phone = "<PHONE>", mail = "<EMAIL>";</script><style>a{width:4155552671px}</style>`,
    );
  });

  it('is replaced in structured data, which stays valid', () => {
    const data = {
      '@type': 'Person',
      givenName: 'Ann',
      email: 'mailto:a@b.example',
      telephone: '415-555-2671',
      note: 'write "a@b.example"',
      isbn: '9783161484100',
      count: 4155552671,
      address: { streetAddress: 'Hof 3', addressLocality: 'Bern' },
    };
    const text = redact(`<script type="application/ld+json">${JSON.stringify(data)}</script>`);
    expect(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).toEqual({
      ...data,
      givenName: '<PERSON>',
      email: 'mailto:EMAIL',
      telephone: '<PHONE>',
      note: 'write "<EMAIL>"',
      address: { streetAddress: '<LOCATION>', addressLocality: 'Bern' },
    });
  });

  it('is replaced in broken markup to its end', () => {
    for (const text of [
      '<p title="a@b.example',
      '<!-- a@b.example',
      '<a href="x>a@b.example</a>',
      '< a@b.example <',
    ])
      expect(redact(text), text).not.toContain('a@b.example');
  });

  it('is replaced in JSON, plain text and feeds, each in its syntax', () => {
    expect(
      JSON.parse(redact('{"e":"a\\u0040b.example","n":[1,"+1 415-555-2671"]}', {}, { kind: 'json' })),
    ).toEqual({
      e: '<EMAIL>',
      n: [1, '<PHONE>'],
    });
    expect(redact('Mail: a@b.example', {}, { kind: 'text' })).toBe('Mail: <EMAIL>');
    expect(redact('<rss><item><![CDATA[<p>a@b.example</p>]]></item></rss>', {}, { kind: 'text' })).toBe(
      '<rss><item><![CDATA[<p>&lt;EMAIL&gt;</p>]]></item></rss>',
    );
  });

  it('is replaced in the pages and blocks of documents, and in the results of actions', () => {
    const block = { content: 'a@b.example' };
    const page = { number: 1, html: '<p>a@b.example</p>', blocks: [block] };
    const snapshot = redactSnapshot(
      snapshotOf('<p>a@b.example</p>', {
        // Only the parts that are read.
        document: { type: 'pdf', hasImages: false, pages: [page] } as unknown as NonNullable<
          Snapshot['document']
        >,
        actions: {
          screenshots: ['blob'],
          pdfs: [],
          scrapes: [{ url: 'https://site.example/', html: '<b>a@b.example</b>' }],
          javascriptReturns: [{ type: 'object', value: { mail: 'a@b.example' } }],
        },
      }),
      DEFAULT,
      () => undefined,
    );
    expect(JSON.stringify(snapshot)).not.toContain('a@b.example');
    expect(snapshot.actions).toMatchObject({
      screenshots: ['blob'],
      scrapes: [{ html: '<b>&lt;EMAIL&gt;</b>' }],
      javascriptReturns: [{ value: { mail: '<EMAIL>' } }],
    });
  });

  it('stays in a binary file, with a warning', () => {
    const warnings: string[] = [];
    redactSnapshot(snapshotOf('YUBiLmV4YW1wbGU=', { kind: 'base64' }), DEFAULT, (text) =>
      warnings.push(text),
    );
    expect(warnings).toEqual(['redactPII replaced nothing, because the page is a binary file.']);
  });
});

describe('the options of a redaction', () => {
  const text = '<p>a@b.example, +1 415-555-2671</p>';

  it('restrict it to kinds of data', () => {
    expect(redact(text, { entities: ['PHONE'] })).toBe('<p>a@b.example, &lt;PHONE&gt;</p>');
    expect(redact(text, { entities: [] })).toBe(text);
  });

  it('choose what takes the place of data', () => {
    expect(redact(text, { replaceStyle: 'mask' })).toBe(`<p>${'*'.repeat(11)}, ${'*'.repeat(15)}</p>`);
    expect(redact(text, { replaceStyle: 'remove' })).toBe('<p>, </p>');
  });

  it('take doubtful numbers in the mode aggressive only', () => {
    const doubtful = '<p>4155552671</p>';
    expect(redact(doubtful)).toBe(doubtful);
    expect(redact(doubtful, { mode: 'aggressive' })).toBe('<p>&lt;PHONE&gt;</p>');
  });

  it('replace given names as whole words, also in attributes', () => {
    expect(
      redact('<p title="by Ann Lee">Ann Lee and Annabel, 李明说</p>', { names: ['Ann Lee', 'Ann', '李明'] }),
    ).toBe('<p title="by &lt;PERSON&gt;">&lt;PERSON&gt; and Annabel, &lt;PERSON&gt;说</p>');
  });

  it('are those of the request, with defaults for true', () => {
    expect([redactionOf(true), redactionOf(false), redactionOf(undefined)]).toEqual([
      DEFAULT,
      undefined,
      undefined,
    ]);
  });
});

describe('the outputs of a redacted page', () => {
  const PAGE = `<html lang="en"><title>About a@b.example</title><meta name="description" content="Call +1 415-555-2671">
    <main><h1>About</h1><p>Write to <a href="mailto:a@b.example">a@b.example</a> or to <code>root@b.example</code>.</p>
    <pre>ssh a@b.example</pre><p>Order 2024-118 costs 12.50.</p></main></html>`;

  it('have tags that are not escaped, in markdown, code and HTML', async () => {
    const { markdown, html, rawHtml, links, metadata } = (await renderRedacted(PAGE, [
      'markdown',
      'html',
      'rawHtml',
      'links',
    ])) as Record<string, unknown>;
    expect(markdown).toContain('Write to [<EMAIL>](mailto:EMAIL) or to `<EMAIL>`.');
    expect(markdown).toContain('ssh <EMAIL>');
    expect(markdown).toContain('Order 2024-118 costs 12.50.');
    expect(html).toContain('&lt;EMAIL&gt;');
    expect(links).toEqual(['mailto:EMAIL']);
    expect(metadata).toMatchObject({ title: 'About <EMAIL>', description: 'Call <PHONE>' });
    expect(rawHtml).not.toMatch(/b\.example|415/);
  });

  it('are the same as without redaction if a page has no personal data', () => {
    const page = '<html lang="en"><p title="Order 12">1 &amp; 2 &lt; 3, v1.2.3, 5 May 2020</p></html>';
    expect(redact(page)).toBe(page);
    expect(
      createContent(snapshotOf(page), { onlyMainContent: false, removeBase64Images: true }).markdown,
    ).toContain('v1.2.3');
  });

  it('do not change which links a crawl follows', async () => {
    const task = {
      snapshot: snapshotOf('<a href="/u/a@b.example">x</a>'),
      clean: { onlyMainContent: false, removeBase64Images: true },
      formats: [{ type: 'links' }],
      redaction: DEFAULT,
      discover: true,
    };
    const { discovered, fields } = await render(task);
    expect(discovered).toEqual(['https://site.example/u/a@b.example']);
    expect(fields.links).toEqual(['https://site.example/u/EMAIL']);
  });
});

describe('text that was made to take long', () => {
  const times = (text: string) => text.repeat(Math.ceil(200_000 / text.length));
  it.each([
    ['digits', '1'],
    ['digits and spaces', '1 '],
    ['groups of digits', '415 555 '],
    ['at signs', '@'],
    ['at signs and dots', 'a.@a.'],
    ['letters before an at sign', `${'a'.repeat(200)}@`],
    ['open tags', '<a '],
    ['quotation marks', '<a b="'],
    ['open comments', '<!--'],
    ['open scripts', '<script>'],
    ['references', '&#64;&amp;'],
    ['names of streets', 'Via Del Via Rue 1 '],
    ['beginnings of keys', 'eyJaaaaaaaaaaaaaaaaaaaa.'],
    ['private keys', '-----BEGIN PRIVATE KEY-----'],
    ['labels', 'password:1'],
    ['brackets', 'a(at '],
    ['colons', '1:a:'],
  ])('is read to its end: %s', (_, part) => {
    const text = redact(`${times(part)} <p>last@b.example</p>`);
    expect(text).not.toContain('last@b.example');
  });
});

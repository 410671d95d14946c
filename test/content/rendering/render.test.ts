import { describe, expect, it } from 'vitest';
import type { BrandingData } from '../../../src/content/branding/branding-data.ts';
import { FORMATS } from '../../../src/content/formats/index.ts';
import { render } from '../../../src/content/rendering/render.ts';
import type { Snapshot } from '../../../src/content/snapshot.ts';
import { formatRequest } from '../../../src/schemas/formats.ts';
import { DEFAULTS, snapshotOf } from '../html/page.ts';

const PAGE = `<html lang=en><head><title>T</title></head><body><nav><a href="/n">n</a></nav>
<h1 class="big">Head</h1><p>Text <a class=big href="/p">link</a> <img src="i.png"></p></body></html>`;

/** Requests as the API takes them, in. */
const fieldsOf = async (formats: unknown[], changes: Partial<Snapshot> = {}, clean = DEFAULTS) => {
  const { fields } = await render({
    snapshot: snapshotOf(PAGE, changes),
    clean,
    formats: formats.map((format) => formatRequest.parse(format)),
  });
  return fields;
};

/** The branding data of an empty page. */
const EMPTY_SURVEY: BrandingData = {
  styles: {
    texts: [],
    buttons: [],
    inputs: [],
    spaces: [],
    radii: [],
    paddings: [],
    margins: [],
    icons: [],
    transitions: [],
    layout: { columns: [], widths: [] },
    backgrounds: [{ color: '#ffffff', gradient: '', isImage: false, backdropIndex: 0, area: 1 }],
  },
  logoCandidates: [],
  declarations: { variables: [], icons: [], themeColor: '' },
};

describe('render', () => {
  it('returns the requested fields and no others', async () => {
    expect(await fieldsOf(['markdown'])).toEqual({
      markdown: '# Head\n\nText [link](https://site.test/p) ![](https://site.test/dir/i.png)',
    });
    expect(await fieldsOf([])).toEqual({});
  });

  it('derives rawHtml, html, links and images', async () => {
    const fields = await fieldsOf(['rawHtml', 'html', 'links', 'images']);
    expect(fields.rawHtml).toBe(PAGE);
    expect(fields.html).toContain('<a class="big" href="https://site.test/p">link</a>');
    expect(fields.html).not.toContain('<nav>');
    expect(fields.links).toEqual(['https://site.test/p']);
    expect(fields.images).toEqual(['https://site.test/dir/i.png']);
  });

  it('finds attributes in the whole page, in document order', async () => {
    const selectors = [
      { selector: '.big', attribute: 'class' },
      { selector: 'a', attribute: 'href' },
      { selector: 'a', attribute: 'HREF' },
      { selector: 'p', attribute: 'constructor' },
    ];
    expect((await fieldsOf([{ type: 'attributes', selectors }])).attributes).toEqual([
      { ...selectors[0], values: ['big', 'big'] },
      { ...selectors[1], values: ['/n', '/p'] },
      { ...selectors[2], values: ['/n', '/p'] },
      { ...selectors[3], values: [] },
    ]);
  });

  it('returns the key of a screenshot, and no field if there is none', async () => {
    expect(await fieldsOf(['screenshot'], { files: { screenshot: 'blob:1' } })).toEqual({
      screenshot: 'blob:1',
    });
    expect(await fieldsOf(['screenshot'])).toEqual({});
  });

  const FILE = { kind: 'base64' as const, text: 'AAEC' };

  it('returns rawBase64 for a file, and no field for a page', async () => {
    expect(await fieldsOf(['rawBase64'], FILE)).toEqual({ rawBase64: 'AAEC' });
    expect(await fieldsOf(['rawBase64'])).toEqual({});
  });

  it('returns values that match the schemas of their formats', async () => {
    const files = { screenshot: 'blob:1' };
    const schema = { type: 'object', properties: { title: { type: 'string' } } };
    const options: Record<string, object> = {
      attributes: { selectors: [{ selector: 'a', attribute: 'href' }] },
      json: { schema },
      deterministicJson: { schema },
      question: { question: 'Where is the text?' },
      highlights: { query: 'text' },
    };
    const all = FORMATS.map(({ request }) => request.shape.type.value);
    const product = { '@type': 'Product', name: 'P', offers: { price: 1, priceCurrency: 'EUR' } };
    const menu = { '@type': 'Menu', hasMenuItem: { name: 'Soup' } };
    const text = `<meta name="description" content="D"><script type="application/ld+json">${JSON.stringify([product, menu])}</script>${PAGE}`;
    const fields = {
      ...(await fieldsOf(
        all.map((type) => ({ type, ...options[type] })),
        { files, text, collectedData: { branding: EMPTY_SURVEY } },
      )),
      ...(await fieldsOf(['rawBase64'], FILE)),
    };
    for (const { field, value, run, extract } of FORMATS) {
      if (run || extract) expect(fields[field], field).toBeDefined();
      if (run || extract) expect(value.safeParse(fields[field]).success, field).toBe(true);
    }
  });

  it('returns the metadata of the page', async () => {
    const { metadata } = await render({ snapshot: snapshotOf(PAGE), clean: DEFAULTS, formats: [] });
    expect(metadata).toEqual({ title: 'T', language: 'en' });
  });
});

describe('a format that a language model would write', () => {
  const PAGE_OF_TOWN = `<title>Town</title><h1>Town</h1><p>The river flows through the old town to the sea.</p>
    <p>The mayor of the old town is Anna Berger.</p><p>Population: 1200</p>`;
  const rendered = (formats: unknown[], text = PAGE_OF_TOWN) =>
    render({
      snapshot: snapshotOf(text),
      clean: DEFAULTS,
      formats: formats.map((format) => formatRequest.parse(format)),
    });
  const NO_MODEL = 'No language model is configured';
  const schema = {
    type: 'object',
    properties: { population: { type: 'integer' }, area: { type: 'number' } },
  };

  it('is derived from the page by rules, with a warning', async () => {
    const { fields, warnings, made } = await rendered([
      'summary',
      { type: 'question', question: 'Who is the mayor?' },
      { type: 'highlights', query: 'river' },
      { type: 'json', schema, prompt: 'in thousands' },
    ]);
    expect(fields).toEqual({
      summary: 'The river flows through the old town to the sea. The mayor of the old town is Anna Berger.',
      answer: 'The mayor of the old town is Anna Berger.',
      highlights: 'The river flows through the old town to the sea.',
      json: { population: 1200 },
    });
    expect(made).toEqual(['summary', 'question', 'highlights', 'json']);
    expect(warnings).toEqual([
      expect.stringContaining(NO_MODEL),
      expect.stringContaining('summary consists of sentences of the page'),
      expect.stringContaining('answer consists of the passages'),
      expect.stringContaining('highlights are the passages'),
      expect.stringContaining('the prompt was ignored'),
      expect.stringContaining('json has no value for area'),
    ]);
  });

  it('is left out with a warning if the page has no suitable content', async () => {
    const { fields, warnings, made } = await rendered(
      [
        'summary',
        { type: 'question', question: 'Who is the mayor?' },
        { type: 'highlights', query: 'river' },
        { type: 'json', schema },
        'product',
        'menu',
      ],
      '<p>Hello',
    );
    expect([fields, made]).toEqual([{}, []]);
    expect(warnings.filter((each) => each.includes('left out'))).toHaveLength(6);
  });

  it('returns all structured data as json if there is no schema', async () => {
    const wanted = [{ type: 'json', prompt: 'the title' }];
    const page = '<meta property="og:title" content="Town">';
    expect((await rendered(wanted, page)).fields).toEqual({ json: { openGraph: { 'og:title': 'Town' } } });
    const none = await rendered(wanted);
    expect(none.fields).toEqual({});
    expect(none.warnings.join()).toContain('Send a schema');
  });

  it('returns all structured data as json if the schema declares nothing, and says so', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#' };
    const { fields, warnings } = await rendered(
      [{ type: 'json', schema }],
      '<meta property="og:title" content="Town">',
    );
    expect(fields).toEqual({ json: { openGraph: { 'og:title': 'Town' } } });
    expect(warnings.join()).toContain('The schema declares nothing');
  });

  it('accepts query as an older name of question and highlights', async () => {
    expect((await rendered([{ type: 'query', prompt: 'Who is the mayor?' }])).fields).toEqual({
      answer: 'The mayor of the old town is Anna Berger.',
    });
    expect((await rendered([{ type: 'query', prompt: 'river', mode: 'directQuote' }])).fields).toEqual({
      highlights: 'The river flows through the old town to the sea.',
    });
  });

  it('causes no warning in requests without such a format', async () => {
    expect((await rendered(['markdown', 'links'])).warnings).toEqual([]);
    expect((await rendered(['product'])).warnings.join()).not.toContain(NO_MODEL);
  });

  it('derives the json of changeTracking by its own schema, or else takes that of the format json', async () => {
    const tracking = (options: object) => ({ type: 'changeTracking', modes: ['json'], ...options });
    const json = { type: 'json', schema };
    expect(await rendered(['markdown', tracking({ schema })])).toMatchObject({
      fields: { markdown: expect.any(String) },
      prepared: { changeTracking: { data: { byRules: { value: { population: 1200 } } } } },
    });
    expect((await rendered(['markdown', tracking({ schema })])).fields).not.toHaveProperty('json');
    const withFormat = await rendered(['markdown', json, tracking({})]);
    expect(withFormat.fields).toMatchObject({ json: { population: 1200 } });
    expect(withFormat.prepared.changeTracking).not.toHaveProperty('data');
    const withoutMode = await rendered(['markdown', json, tracking({ modes: [], schema })]);
    expect(withoutMode.prepared.changeTracking).not.toHaveProperty('data');
  });
});

describe('the rendering of a file that is not HTML', () => {
  const formats = ['markdown', 'html', 'rawHtml', 'links', 'images'];
  const plain = (kind: Snapshot['kind'], text: string) => fieldsOf(formats, { kind, text });

  it('puts JSON into a code fence in markdown', async () => {
    expect(await plain('json', ' {"a": "<b>"}\n')).toEqual({
      markdown: '```json\n{"a": "<b>"}\n```',
      html: ' {"a": "<b>"}\n',
      rawHtml: ' {"a": "<b>"}\n',
      links: [],
      images: [],
    });
  });

  it('makes the fence longer than any fence inside the JSON', async () => {
    expect((await plain('json', '{"a":"\n```\n"}')).markdown).toBe('````json\n{"a":"\n```\n"}\n````');
  });

  it('returns text unchanged as markdown, and escaped as HTML', async () => {
    expect(await plain('text', 'a <b> & c')).toMatchObject({
      markdown: 'a <b> & c',
      html: '<pre>a &lt;b&gt; &amp; c</pre>',
      rawHtml: 'a <b> & c',
    });
  });

  it('returns base64 data unchanged', async () => {
    expect(await plain('base64', 'JVBERi0=')).toMatchObject({ markdown: 'JVBERi0=', rawHtml: 'JVBERi0=' });
  });
});

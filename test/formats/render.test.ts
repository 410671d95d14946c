import { describe, expect, it } from 'vitest';
import type { Survey } from '../../src/branding/survey.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { render } from '../../src/formats/render.ts';
import { formatRequest } from '../../src/schemas/formats.ts';
import type { Snapshot } from '../../src/snapshot.ts';
import { DEFAULTS, snapshotOf } from '../html/page.ts';

const PAGE = `<html lang=en><head><title>T</title></head><body><nav><a href="/n">n</a></nav>
<h1 class="big">Head</h1><p>Text <a class=big href="/p">link</a> <img src="i.png"></p></body></html>`;

/** Requests as the API takes them, in. */
const fieldsOf = (formats: unknown[], changes: Partial<Snapshot> = {}, clean = DEFAULTS) =>
  render({
    snapshot: snapshotOf(PAGE, changes),
    clean,
    formats: formats.map((format) => formatRequest.parse(format)),
  }).fields;

/** Of a page without anything. */
const EMPTY_SURVEY: Survey = {
  styles: {
    ...{ texts: [], buttons: [], inputs: [], spaces: [], radii: [] },
    grounds: [{ color: '#ffffff', gradient: '', isPicture: false, under: 0, area: 1 }],
  },
  marks: [],
  declarations: { variables: [], icons: [], themeColor: '', structured: [] },
};

describe('render', () => {
  it('gives what was asked for and nothing else', () => {
    expect(fieldsOf(['markdown'])).toEqual({
      markdown: '# Head\n\nText [link](https://site.test/p) ![](https://site.test/dir/i.png)',
    });
    expect(fieldsOf([])).toEqual({});
  });

  it('gives every format of a page', () => {
    const fields = fieldsOf(['rawHtml', 'html', 'links', 'images']);
    expect(fields.rawHtml).toBe(PAGE);
    expect(fields.html).toContain('<a class="big" href="https://site.test/p">link</a>');
    expect(fields.html).not.toContain('<nav>');
    expect(fields.links).toEqual(['https://site.test/p']);
    expect(fields.images).toEqual(['https://site.test/dir/i.png']);
  });

  it('looks attributes up in the whole page, in order', () => {
    const selectors = [
      { selector: '.big', attribute: 'class' },
      { selector: 'a', attribute: 'href' },
      { selector: 'a', attribute: 'HREF' },
      { selector: 'p', attribute: 'constructor' },
    ];
    expect(fieldsOf([{ type: 'attributes', selectors }]).attributes).toEqual([
      { ...selectors[0], values: ['big', 'big'] },
      { ...selectors[1], values: ['/n', '/p'] },
      { ...selectors[2], values: ['/n', '/p'] },
      { ...selectors[3], values: [] },
    ]);
  });

  it('hands the address of a screenshot on, and leaves it out when there is none', () => {
    expect(fieldsOf(['screenshot'], { files: { screenshot: 'blob:1' } })).toEqual({ screenshot: 'blob:1' });
    expect(fieldsOf(['screenshot'])).toEqual({});
  });

  it('ignores a format that this version does not make', () => {
    expect(fieldsOf(['markdown', 'summary'])).toHaveProperty('markdown');
    expect(fieldsOf(['summary'])).toEqual({});
  });

  it('gives values that fit their schemas', () => {
    const files = { screenshot: 'blob:1' };
    const all = FORMATS.map(({ request }) => {
      const type = request.shape.type.value;
      return type === 'attributes' ? { type, selectors: [{ selector: 'a', attribute: 'href' }] } : type;
    });
    const fields = fieldsOf(all, { files, surveys: { branding: EMPTY_SURVEY } });
    for (const { field, value, run } of FORMATS)
      if (run) expect(value.safeParse(fields[field]).success, field).toBe(true);
  });

  it('tells what the page says about itself', () => {
    const { metadata } = render({ snapshot: snapshotOf(PAGE), clean: DEFAULTS, formats: [] });
    expect(metadata).toEqual({ title: 'T', language: 'en' });
  });
});

describe('pages that are not HTML', () => {
  const formats = ['markdown', 'html', 'rawHtml', 'links', 'images'];
  const plain = (kind: Snapshot['kind'], text: string) => ({ ...fieldsOf(formats, { kind, text }) });

  it('JSON is fenced in markdown', () => {
    expect(plain('json', ' {"a": "<b>"}\n')).toEqual({
      markdown: '```json\n{"a": "<b>"}\n```',
      html: ' {"a": "<b>"}\n',
      rawHtml: ' {"a": "<b>"}\n',
      links: [],
      images: [],
    });
  });

  it('a fence inside JSON makes the fence longer', () => {
    expect(plain('json', '{"a":"\n```\n"}').markdown).toBe('````json\n{"a":"\n```\n"}\n````');
  });

  it('text is its own markdown, and escaped HTML', () => {
    expect(plain('text', 'a <b> & c')).toMatchObject({
      markdown: 'a <b> & c',
      html: '<pre>a &lt;b&gt; &amp; c</pre>',
      rawHtml: 'a <b> & c',
    });
  });

  it('base64 stays what it is', () => {
    expect(plain('base64', 'JVBERi0=')).toMatchObject({ markdown: 'JVBERi0=', rawHtml: 'JVBERi0=' });
  });
});

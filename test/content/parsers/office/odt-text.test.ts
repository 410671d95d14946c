import { expect, test } from 'vitest';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { writeOpenDocument } from './package-writers.ts';

const convert = async (body: string, options: Parameters<typeof writeOpenDocument>[2] = {}) =>
  (await convertOffice({ type: 'odt', images: false }, writeOpenDocument('text', body, options))).html;
const section = (attributes: string, content: string) =>
  `<text:section text:name="s" ${attributes}>${content}</text:section>`;
const p = (content: string) => `<text:p>${content}</text:p>`;

test('hidden sections of an OpenDocument text are left out, with those in them', async () => {
  const html = await convert(
    p('first') +
      section('text:display="none"', p('secret') + section('', p('inner secret')) + p('more secrets')) +
      section('text:display="condition" text:condition="a" text:is-hidden="true"', p('other secret')) +
      section('', section('text:display="true"', p('shown'))) +
      p('last'),
  );
  expect(html).toBe('<p>first</p>\n<p>shown</p>\n<p>last</p>');
});

test('code and powers of an OpenDocument text are kept beside notes', async () => {
  const styles =
    '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>';
  const note =
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>';
  const html = await convert(p(`x<text:span text:style-name="T1">2</text:span> is a power.${note}`), {
    styles,
  });
  expect(html).toContain('x<sup>2</sup> is a power.');
});

test('headers and footers of an OpenDocument text are no main content', async () => {
  const master = (name: string, margins: string) =>
    `<style:master-page style:name="${name}">${margins}</style:master-page>`;
  const styles = `<office:document-styles><office:master-styles>${
    master(
      'Standard',
      '<style:header><text:p>Annual <text:span>report</text:span> &amp; plan</text:p></style:header><style:header-left style:display="false"><text:p>left</text:p></style:header-left><style:footer><text:p>Page <text:page-number>7</text:page-number></text:p></style:footer>',
    ) + master('Unused', '<style:header><text:p>of no page</text:p></style:header>')
  }</office:master-styles></office:document-styles>`;
  expect(await convert(p('body'), { parts: { 'styles.xml': styles } })).toBe(
    '<p data-page-role="header">Annual report &amp; plan</p>\n<p>body</p>\n<p data-page-role="footer">Page</p>',
  );
});

import { describe, expect, test } from 'vitest';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import type { OfficeType } from '../../../../src/content/parsers/office/model.ts';
import {
  CHART,
  PNG,
  slidePicture,
  slideText,
  writeEpub,
  writeOpenDocument,
  writePptx,
} from './package-writers.ts';

const convert = (type: OfficeType, bytes: Buffer, images = false) => convertOffice({ type, images }, bytes);

describe('a pptx file', () => {
  const deck = writePptx([
    {
      shapes:
        slideText('ctrTitle', 'Review') + slideText('subTitle', 'By &lt;Ann&gt;') + slideText('sldNum', '1'),
    },
    {
      shapes: slideText('title', 'Results') + slidePicture('A red dot'),
      notes: slideText('body', 'Remember to smile'),
    },
  ]);

  test('has its titles as headings and its notes as quotes, and loses slide numbers', async () => {
    const { html, images, metadata } = await convert('pptx', deck);
    expect(html).toBe(
      '<h2 id="review">Review</h2>\n<p>By &lt;Ann&gt;</p>\n<h2 id="results">Results</h2>\n<p>A red dot</p>\n<blockquote><p>Remember to smile</p></blockquote>',
    );
    expect(images).toEqual([]);
    expect(metadata).toEqual({ title: 'Deck', author: 'Ann', publishedTime: '2026-03-02T09:00:00.000Z' });
  });

  test('returns its pictures if they are wanted', async () => {
    const { html, images } = await convert('pptx', deck, true);
    expect(html).toContain('<img src="document-image:0" alt="A red dot">');
    expect(images).toEqual([{ id: '0', mediaType: 'image/png', bytes: PNG }]);
  });
});

test('charts of a pptx file are their titles and tables of their values', async () => {
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Chart 3"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/>${CHART.reference}</p:graphicFrame>`;
  const deck = writePptx([{ shapes: slideText('title', 'Results') + frame }], {
    target: ['chart', '../charts/chart1.xml'],
    parts: { 'ppt/charts/chart1.xml': CHART.part },
  });
  expect((await convert('pptx', deck)).html).toBe(`<h2 id="results">Results</h2>\n${CHART.html}`);
});

test('a pptx file keeps inline code and superscripts, and marks hidden slides', async () => {
  const text = (properties: string, text: string) =>
    `<a:r><a:rPr ${properties}</a:rPr><a:t>${text}</a:t></a:r>`;
  const shape = `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:pPr><a:buNone/></a:pPr>${text('>', '10')}${text('baseline="30000">', '6')}${text('>', ' of ')}${text('><a:latin typeface="Consolas"/>', 'npm')}</a:p></p:txBody></p:sp>`;
  const { html } = await convert(
    'pptx',
    writePptx([
      { shapes: slideText('title', 'Shown') },
      { shapes: slideText('title', 'Backup') + shape, isHidden: true },
      { shapes: slideText('body', 'No title'), isHidden: true },
    ]),
  );
  expect(html).toContain('>Shown</h2>');
  expect(html).toContain('>Backup (hidden)</h2>');
  expect(html).toContain('10<sup>6</sup> of <code>npm</code>');
  expect(html).toMatch(/<p>\(hidden slide\)<\/p>\n.*No title/);
  expect(html.match(/hidden/g)).toHaveLength(3);
});

test('the text of a shape of a pptx file that is a link is a link', async () => {
  const click = (id: string) => `<a:hlinkClick r:id="${id}"/>`;
  const button = `<p:sp><p:nvSpPr><p:cNvPr id="3" name="x">${click('rId1')}</p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:rPr/><a:t>Order now</a:t></a:r></a:p></p:txBody></p:sp>`;
  const file = writePptx([{ shapes: button + slideText('body', 'No link') }], {
    target: ['hyperlink', 'https://example.test/order" TargetMode="External'],
  });
  const { html } = await convert('pptx', file);
  expect(html).toContain('<a href="https://example.test/order">Order now</a>');
  expect(html.match(/<a /g)).toHaveLength(1);
});

describe('the order of shapes of a pptx file', () => {
  /** A text box; all numbers in the units of the file. */
  const box = (text: string, [x, y, cx, cy]: [number, number, number, number], rotation = 0) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="3" name="x"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm rot="${rotation}"><a:off x="${x}" y="${y}"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const words = async (...shapes: string[]) => {
    const { html } = await convert('pptx', writePptx([{ shapes: shapes.join('') }]));
    return html
      .replace(/<[^>]*>/g, ' ')
      .trim()
      .split(/\s+/);
  };

  test('is from top to bottom and left to right, after the title', async () => {
    const shapes = [
      box('Right', [60, 40, 40, 20]),
      box('Bottom', [0, 80, 100, 10]),
      slideText('title', 'Title'),
      box('Left', [0, 42, 40, 20]),
      box('Top', [0, 20, 100, 10]),
    ];
    expect(await words(...shapes)).toEqual(['Title', 'Top', 'Left', 'Right', 'Bottom']);
  });

  test('moves groups as a whole, by the places of the groups', async () => {
    const group = (y: number, ...shapes: string[]) =>
      `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="4" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="${y}"/><a:ext cx="100" cy="10"/></a:xfrm></p:grpSpPr>${shapes.join('')}</p:grpSp>`;
    // The places of shapes in a group are in units of the group.
    const inGroup = [box('Lower', [0, 0, 5, 5]), box('group', [5, 0, 5, 5])];
    expect(await words(group(80, ...inGroup), box('Upper', [0, 20, 100, 10]))).toEqual([
      'Upper',
      'Lower',
      'group',
    ]);
  });

  test('stays on slides with text from right to left', async () => {
    const [right, left] = [box('Right', [60, 40, 40, 20]), box('Left', [0, 40, 40, 20])];
    expect(await words(right, left.replace('<a:p>', '<a:p><a:pPr rtl="1"/>'))).toEqual(['Right', 'Left']);
  });

  test('stays where columns are drawn one after the other, or row by row', async () => {
    const heads = [box('A', [0, 20, 40, 10]), box('B', [60, 20, 40, 10])];
    const texts = [box('C', [0, 40, 40, 40]), box('D', [60, 60, 40, 40])];
    expect(await words(...heads, ...texts)).toEqual(['A', 'B', 'C', 'D']);
  });

  test('knows the places that shapes have from the layout of their slide or its master', async () => {
    const place = (type: string, frame = '') =>
      `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph ${type}/></p:nvPr></p:nvSpPr><p:spPr>${frame}</p:spPr></p:sp>`;
    const frame = (y: number) => `<a:xfrm><a:off x="0" y="${y}"/><a:ext cx="100" cy="10"/></a:xfrm>`;
    const text = (index: number, content: string) =>
      place(`idx="${index}"`).replace(
        '</p:sp>',
        `<p:txBody><a:bodyPr/><a:p><a:r><a:t>${content}</a:t></a:r></a:p></p:txBody></p:sp>`,
      );
    const part = (shapes: string) =>
      `<p:sldLayout xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sldLayout>`;
    const shapes = [
      text(2, 'Lower'),
      text(1, 'Middle'),
      box('Upper', [0, 20, 100, 10]),
      slideText('title', 'Title'),
    ];
    const file = writePptx([{ shapes: shapes.join('') }], {
      target: ['slideLayout', '../slideLayouts/slideLayout1.xml'],
      parts: {
        'ppt/slideLayouts/slideLayout1.xml': part(place('idx="1"', frame(40)) + place('type="body" idx="2"')),
        'ppt/slideLayouts/_rels/slideLayout1.xml.rels':
          '<Relationships><Relationship Id="r" Type="x/slideMaster" Target="../slideMasters/slideMaster1.xml"/></Relationships>',
        'ppt/slideMasters/slideMaster1.xml': part(place('type="body"', frame(80))),
      },
    });
    const { html } = await convert('pptx', file);
    expect(html.match(/Title|Upper|Middle|Lower/g)).toEqual(['Title', 'Upper', 'Middle', 'Lower']);
  });

  test('stays if the place of a shape is not known', async () => {
    const shapes = [box('Second', [0, 80, 100, 10]), box('First', [0, 20, 100, 10])];
    expect(await words(...shapes, slideText('body', 'Body'))).toEqual(['Second', 'First', 'Body']);
    const rotated = box('Rotated', [0, 50, 100, 10], 5_400_000);
    expect(await words(...shapes, rotated)).toEqual(['Second', 'First', 'Rotated']);
  });
});

test('titles of an odp file are headings, and outlines are lists', async () => {
  const frame = (kind: string, text: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${text}</draw:text-box></draw:frame>`;
  const slide = `<draw:page>${frame('title', '<text:p>Plan</text:p>')}${frame('outline', '<text:list><text:list-item><text:p>Point</text:p></text:list-item></text:list>')}</draw:page>`;
  const { html } = await convert('odp', writeOpenDocument('presentation', slide));
  expect(html).toBe('<h2 id="plan">Plan</h2>\n<ul><li>Point</li></ul>');
});

test('speaker notes of an odp file have no page numbers', async () => {
  const notes =
    '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>Welcome</text:p></draw:text-box></draw:frame><draw:frame draw:layer="l" presentation:class="page-number"><draw:text-box><text:p><text:page-number>&lt;number&gt;</text:page-number></text:p></draw:text-box></draw:frame></presentation:notes>';
  const { html } = await convert('odp', writeOpenDocument('presentation', `<draw:page>${notes}</draw:page>`));
  expect(html).toBe('<blockquote><p>Welcome</p></blockquote>');
});

test('hidden slides of an odp file are marked', async () => {
  const title = (text: string) =>
    `<draw:frame presentation:class="title"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
  const slides = `<draw:page>${title('Plan')}</draw:page><draw:page draw:style-name="dp2">${title('Backup')}</draw:page>`;
  const styles =
    '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const { html } = await convert('odp', writeOpenDocument('presentation', slides, { styles }));
  expect(html).toMatch(/>Plan<\/h2>\n.*>Backup \(hidden\)<\/h2>$/);
});

test('an epub file has its chapters with their links to each other, tables, pictures and metadata', async () => {
  const { html, metadata } = await convert(
    'epub',
    writeEpub([
      '<h1>One</h1><p>Hello <b>world</b>, see <a href="c1.xhtml#s">two</a>. <img src="i.png" alt="dot"/></p><table><tr><th colspan="2">T</th></tr><tr><td>1</td><td>2</td></tr></table>',
      '<h2 id="s">Two</h2><script>bad()</script>',
    ]),
  );
  expect(html).toContain('<p>Hello <strong>world</strong>, see <a href="#two">two</a>. dot</p>');
  expect(html).toContain('<th colspan="2">T</th>');
  expect(html).toContain('<h2 id="two">Two</h2>');
  expect(html).not.toContain('bad()');
  expect(metadata).toEqual({
    title: 'My book',
    author: 'Ann, Bob',
    language: 'en',
    publishedTime: '2020-01-02T00:00:00.000Z',
    modifiedTime: '2021-01-02T00:00:00.000Z',
  });
});

describe('formulas and charts of points in a pptx file', () => {
  const box = (paragraphs: string) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="8" name="T"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`;
  const text = (content: string) => `<a:r><a:t>${content}</a:t></a:r>`;
  const formula =
    '<a14:m><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m>';
  const alternatives = (choice: string, fallback: string) =>
    `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" Requires="a14">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

  test('are there with the text around them, of which the substitute is blank', async () => {
    const choice = box(`<a:p>${text('so ')}${formula}${text(' holds')}</a:p><a:p>${text('Second')}</a:p>`);
    const shapes = slideText('title', 'Energy') + alternatives(choice, box(`<a:p>${text(' ')}</a:p>`));
    const { html } = await convert('pptx', writePptx([{ shapes }]));
    expect(html).toContain(
      '<p>so <math><msup><mrow><mi>c</mi></mrow><mrow><mn>2</mn></mrow></msup></math> holds</p>\n<p>Second</p>',
    );
  });

  test('do not take the place of a substitute with text', async () => {
    const shapes = alternatives(box(`<a:p>${text('new')}</a:p>`), box(`<a:p>${text('old')}</a:p>`));
    const { html } = await convert('pptx', writePptx([{ shapes }]));
    expect(html).toBe('<p>old</p>');
  });

  test('have the values of all series at their places', async () => {
    const points = (name: string, values: number[]) =>
      `<c:${name}><c:numRef><c:numCache><c:formatCode>General</c:formatCode>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:numCache></c:numRef></c:${name}>`;
    const series = (name: string, x: number[], y: number[]) =>
      `<c:ser><c:idx val="0"/><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>${name}</c:v></c:pt></c:strCache></c:strRef></c:tx>${points('xVal', x)}${points('yVal', y)}</c:ser>`;
    const part = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:scatterChart>${series('A', [3, 1.5], [4, 2.5])}${series('B', [2, 3], [7, 8])}</c:scatterChart></c:plotArea></c:chart></c:chartSpace>`;
    const shapes = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Chart"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>${CHART.reference}</p:graphicFrame>`;
    const file = writePptx([{ shapes }], {
      target: ['chart', '../charts/chart1.xml'],
      parts: { 'ppt/charts/chart1.xml': part },
    });
    const { html } = await convert('pptx', file);
    expect(html.replaceAll('\n', '')).toBe(
      '<table><tr><th></th><th>A</th><th>B</th></tr><tr><td>1.5</td><td>2.5</td><td></td></tr><tr><td>2</td><td></td><td>7</td></tr><tr><td>3</td><td>4</td><td>8</td></tr></table>',
    );
  });

  test('have their values in the right categories also behind a gap', async () => {
    const part = CHART.part.replace('<c:pt idx="0"><c:v>17</c:v></c:pt>', '');
    const shapes = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Chart"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>${CHART.reference}</p:graphicFrame>`;
    const file = writePptx([{ shapes }], {
      target: ['chart', '../charts/chart1.xml'],
      parts: { 'ppt/charts/chart1.xml': part },
    });
    const { html } = await convert('pptx', file);
    expect(html).toContain('<td>2024</td><td></td></tr>\n<tr><td>2025</td><td>19.5</td>');
  });
});

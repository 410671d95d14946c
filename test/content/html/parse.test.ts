import { type Document, isTag, type ParentNode } from 'domhandler';
import { textContent } from 'domutils';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listElements } from '../../../src/content/html/element-list.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { selectElements } from '../../../src/content/html/selector.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

const tooLarge = expect.objectContaining({ code: 'SCRAPE_CONTENT_TOO_LARGE' });

function depthOf(document: Document): number {
  let deepest = 0;
  const stack: { node: ParentNode; depth: number }[] = [{ node: document, depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node, depth } = top;
    deepest = Math.max(deepest, depth);
    for (const child of node.children) if (isTag(child)) stack.push({ node: child, depth: depth + 1 });
  }
  return deepest;
}

/** Every link between nodes, both ways; recursion ends with the tree's depth. */
function checkLinks(parent: ParentNode): void {
  parent.children.forEach((child, place) => {
    expect(child.parent).toBe(parent);
    expect(child.prev).toBe(parent.children[place - 1] ?? null);
    expect(child.next).toBe(parent.children[place + 1] ?? null);
    if (isTag(child)) checkLinks(child);
  });
}

describe('the parsed tree', () => {
  it('is the one that browsers build from broken pages', () => {
    const names = (html: string) => selectElements('body *', parseHtml(html)).map(({ name }) => name);
    expect(names('<p>a<p>b')).toEqual(['p', 'p']);
    expect(names('<b>a<p>b</b>c')).toEqual(['b', 'p', 'b']);
    expect(names('<table><tr><td>a<td>b')).toEqual(['table', 'tbody', 'tr', 'td', 'td']);
    // Text and elements that a table may not have stand before it.
    const fostered = parseHtml('<table>x<b>y</b>z<tr><td>a</table>');
    expect(textContent(fostered)).toBe('xyza');
    expect(names('<table>x<b>y</b>z<tr><td>a</table>').slice(0, 2)).toEqual(['b', 'table']);
    checkLinks(fostered);
  });

  it('has consistent links between nodes for any page', () => {
    const tag = fc.constantFrom(
      'a',
      'b',
      'i',
      'p',
      'table',
      'tr',
      'td',
      'div',
      'li',
      'template',
      'svg',
      'h1',
    );
    const piece = fc.oneof(
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name}>`),
      fc.constantFrom('x', ' '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => checkLinks(parseHtml(pieces.join('')))),
      propertyRuns(300),
    );
  });

  it('keeps attributes of any name', () => {
    const [found] = selectElements('p', parseHtml('<p constructor=a __proto__=b class=c class=d>'));
    expect(Object.entries(found?.attribs ?? {})).toEqual([
      ['constructor', 'a'],
      ['__proto__', 'b'],
      ['class', 'c'],
    ]);
    expect(selectElements('p', parseHtml('<p>'))[0]?.attribs.constructor).toBeUndefined();
  });

  it('adds attributes of a second body tag that the first lacks', () => {
    const [body] = selectElements('body', parseHtml('<body class=a><p>x<body class=b id=c>'));
    expect({ ...body?.attribs }).toEqual({ class: 'a', id: 'c' });
  });
});

describe('by the limits of the parser,', () => {
  it.each(['<div>', '<b><i>', '<span>', '<blockquote>', '<table><tr><td>'])(
    '%s 4,000 deep is never deeper than 512',
    (tags) => {
      const document = parseHtml(`${tags.repeat(4_000)}deep text`);
      expect(depthOf(document)).toBeLessThanOrEqual(512);
      expect(textContent(document)).toBe('deep text');
    },
  );

  it('texts keep their order when too deep elements are flattened', () => {
    const html = Array.from({ length: 2_000 }, (_, n) => `<div>${n} `).join('');
    const closing = Array.from({ length: 2_000 }, (_, n) => `${1_999 - n} </div>`).join('');
    const words = textContent(parseHtml(html + closing))
      .trim()
      .split(/\s+/)
      .map(Number);
    expect(words.slice(0, 2_000)).toEqual(Array.from({ length: 2_000 }, (_, n) => n));
    expect(words.slice(2_000)).toEqual(Array.from({ length: 2_000 }, (_, n) => 1_999 - n));
  });

  it.each(['<div>', '<b>', '<b><i>', '<ul><li>', '<template>'])('%s 100,000 deep is refused', (tag) => {
    expect(() => parseHtml(tag.repeat(100_000))).toThrow(tooLarge);
  });

  it('a page of 700,000 elements is refused', () => {
    expect(() => parseHtml('<br>'.repeat(700_000))).toThrow(tooLarge);
  });

  it('a long text is one node, however many words it has', () => {
    const document = parseHtml(`<p>${'w '.repeat(700_000)}`);
    expect(textContent(document)).toHaveLength(1_400_000);
  });

  it('an element of a hundred thousand attributes keeps a thousand', () => {
    const attributes = Array.from({ length: 100_000 }, (_, n) => `a${n}=${n}`).join(' ');
    const [found] = selectElements('p', parseHtml(`<p ${attributes}>`));
    expect(Object.keys(found?.attribs ?? {})).toHaveLength(1_000);
    expect(found?.attribs.a999).toBe('999');
  });
});

it('a page of templates inside of each other has a limited depth too', () => {
  const page = parseHtml(`<p>Text</p>${'<template>'.repeat(19_000)}`);
  expect(() => listElements(page)).not.toThrow();
});

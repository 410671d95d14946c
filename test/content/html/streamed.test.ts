import { textContent } from 'domutils';
import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { placeStreamedFragments } from '../../../src/content/html/parse/streamed-fragments.ts';
import { contentOf } from './page.ts';

/** The visible text after the scripts have run, without scripts and the elements that they have emptied. */
const seen = (html: string) =>
  textContent(placeStreamedFragments(parseHtml(html), html)).replace(/\$R\w.*?\)/g, '');

describe('content that React streams after the page', () => {
  it('replaces the fallback', () => {
    const html = `<p>a</p><!--$?--><template id="B:0"></template><i>wait</i><!--$--><b>too</b><!--/$--><!--/$--><p>c</p>
      <div hidden id="S:0"><p>b</p></div><script>$RC=function(b,c){};$RC("B:0","S:0")</script>`;
    expect(seen(html)).toMatch(/^abc\s/);
  });

  it('replaces an empty template', () => {
    const html = `<p>a<template id="P:1"></template>c</p><div hidden id="S:1">b</div><script>$RS("S:1","P:1")</script>`;
    expect(seen(html)).toBe('abc');
  });

  it('can come in nested pieces', () => {
    const html = `<p>a<template id="P:1"></template>d</p><div hidden id="S:2">c</div>
      <div hidden id="S:1">b<template id="P:2"></template></div>
      <script>$RS("S:2","P:2");$RS("S:1","P:1")</script>`;
    expect(seen(html)).toMatch(/^abcd\s/);
  });

  it('is never inserted into itself', () => {
    const html = `<div id="S:1">a<template id="P:1"></template><div id="S:2">b<template id="P:2"></template></div></div>
      <script>$RS("S:1","P:2");$RS("S:2","P:1")</script>`;
    expect(seen(html)).toMatch(/^ab\s/);
  });

  it('never makes the tree deeper than browsers allow', () => {
    const piece = (at: number) =>
      `<div id="S:${at}">${'<i>'.repeat(100)}x<template id="P:${at + 1}"></template>${'</i>'.repeat(100)}</div>`;
    const count = 200;
    const calls = Array.from({ length: count }, (_, at) => `$RS("S:${at}","P:${at}")`).join(';');
    const html = `<template id="P:0"></template>${Array.from({ length: count }, (_, at) => piece(at)).join('')}`;
    const source = `${html}<script>${calls}</script>`;
    const page = placeStreamedFragments(parseHtml(source), source);
    let deepest = 0;
    for (let level = page.children; level.length > 0; deepest++)
      level = level.flatMap((node) => ('children' in node ? node.children : []));
    expect(deepest).toBeLessThanOrEqual(514);
  });

  it('is placed inside of another up to a limit', () => {
    const piece = (at: number) =>
      `<div hidden id="S:${at}"><template id="B:${at + 1}"></template>x</div><script>$RC("B:${at + 1}","S:${at + 1}")</script>`;
    const html = Array.from({ length: 3_000 }, (_, at) => piece(at)).join('');
    expect(contentOf(html).markdown).toContain('x');
  });

  it('is part of the content in its place', () => {
    const text =
      'A long sentence that says enough to count as a paragraph, and then some more of it. '.repeat(4);
    const html = `<nav><a href="/a">A</a></nav><main><h1>Title</h1><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--></main>
      <footer>Imprint</footer><div hidden id="S:0"><p>${text}</p></div><script>$RC("B:0","S:0")</script>`;
    expect(contentOf(html).markdown.split(/\n+/)).toEqual(['# Title', text.trim()]);
  });
});

import { setFlagsFromString } from 'node:v8';
import type { ChildNode, Element } from 'domhandler';
import { expect, test } from 'vitest';
import { listElements } from '../../../src/content/html/element-list.ts';
import { isTag, isText } from '../../../src/content/html/nodes.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { contentOf } from './page.ts';

const PAGE = `<!doctype html><html><head><title>Page</title></head><body><!-- A comment. --><p class="lead">A sentence.</p>
<template><p>Not shown.</p></template><img src="/picture.png"><svg><path d="M0 0"/></svg></body></html>`;

setFlagsFromString('--allow-natives-syntax');
const haveOneShape = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;

test('all elements of a page and of its filtered copy have one shape', () => {
  const [first, ...others] = [
    ...listElements(parseHtml(PAGE)),
    ...listElements(contentOf(PAGE).tree!),
  ] as Element[];
  expect(others.length).toBeGreaterThan(10);
  expect(others.filter((element) => !haveOneShape(first!, element)).map(({ name }) => name)).toEqual([]);
});

test('the children of a page are elements, texts or others', () => {
  const kindOf = (node: ChildNode) => (isTag(node) ? node.name : isText(node) ? 'text' : 'other');
  const body = listElements(parseHtml(PAGE)).find(({ name }) => name === 'body')!;
  expect(body.children.map(kindOf)).toEqual(['other', 'p', 'text', 'template', 'img', 'svg']);
});

import { expect, it } from 'vitest';
import { readSnippetPages } from './snippets.ts';

it('reads the pages of a map in Go', () => {
  const source = `package main

var comparisonData = map[string]ComparisonEntry{
\t"https://site.test/a": {
\t\tFile:    "a.html",
\t\tWith:    []string{"One \\"text\\"", "another, text"},
\t\tWithout: []string{"Imprint"},
\t},
\t"https://site.test/b": {
\t\tFile:     "b.html",
\t\tWith:     []string{"Text"},
\t\tComments: []string{"A remark"},
\t},
}
`;
  expect(readSnippetPages(source)).toEqual([
    {
      url: 'https://site.test/a',
      file: 'a.html',
      wanted: ['One "text"', 'another, text'],
      unwanted: ['Imprint'],
    },
    { url: 'https://site.test/b', file: 'b.html', wanted: ['Text'], unwanted: [] },
  ]);
});

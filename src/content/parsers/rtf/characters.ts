/** The characters for which control words and symbols of RTF stand. */
export const CHARACTERS: Record<string, string> = {
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  tab: '\t',
  line: '\n',
  emspace: ' ',
  enspace: ' ',
  '~': '\u00a0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
};

import type { Element } from 'domhandler';
import { isParentElement, isTag } from '../nodes.ts';

/**
 * Names of languages that highlighters and their readers use, those of one language on a line. The first is not preferred: a
 * block of code gets the name that its page has.
 */
const NAMES = `
javascript js mjs
typescript ts
python py python3 pycon ipython ipython3
shell sh bash zsh fish ksh console terminal shellsession commandline
powershell ps1 pwsh
bat batch dos
html xml markup svg xhtml
css
scss
sass
less
json jsonc json5
jsx
tsx
yaml yml
toml
ini
markdown md
rst restructuredtext
java
kotlin kt kts
scala
groovy gradle
c
c++ cpp cxx
c# csharp cs
f# fsharp
objectivec objc
visualbasic vb vbnet
go golang
rust rs
swift
dart
ruby rb erb
php
perl
lua
r
julia
haskell hs
ocaml
elm
elixir
erlang
clojure
lisp elisp commonlisp
scheme racket
fortran
pascal delphi
ada
cobol
matlab
zig
nim
nix
sql mysql postgresql postgres pgsql plpgsql plsql tsql sqlite
graphql gql
protobuf proto
dockerfile docker
makefile make
cmake
nginx
apache
http
diff patch
terraform hcl
solidity
vue
svelte
astro
handlebars
jinja jinja2
django
twig
pug
latex tex
asciidoc
mermaid
regex
awk
tcl
vim viml
verilog systemverilog
vhdl
glsl
hlsl
wasm wat
asm nasm assembly
prolog
sparql
properties
csv
plaintext text txt`;
/** Names that only labels have; as a class they are a style. */
const NAMES_OF_LABELS = new Set(['terminal', 'commandline', 'text', 'txt']);
const GROUP_BY_NAME = new Map(
  NAMES.trim()
    .split('\n')
    .flatMap((group) => group.split(' ').map((name) => [name, group] as const)),
);

const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*)([^\s"'`~;]+|;)/i;
/** Highlighters that put a class of their own before that of the language. */
const HIGHLIGHTER_LANGUAGE = /(?:^|\s)(?:sourceCode(?:\s+numberSource)?|hljs)\s+([a-z][a-z\d+#]*)(?=\s|$)/i;
/** Class values by which highlighters say that the language is unknown. */
const NO_LANGUAGE = /^(default|none|notranslate|plain|plaintext|text|auto|undefined|nohighlight)$/i;
/** Elements of code, on which a class that is the name of a language says so. */
const CODE_ELEMENTS = new Set(['pre', 'code', 'figure']);

/**
 * The language named by the classes of a `pre` or of the elements right inside or around it; an empty string
 * without one.
 */
export function detectLanguage(pre: Element): string {
  const inside = pre.children.filter(isTag).filter(({ name }) => name === 'code');
  const table = codeTableAround(pre);
  for (const element of [...inside, pre, ...ancestorsOf(pre, 2), ...(table ? ancestorsOf(table, 2) : [])]) {
    const language = languageOf(element);
    if (language && /^[^\s`~]{1,50}$/.test(language) && !NO_LANGUAGE.test(language))
      return language.toLowerCase();
  }
  return '';
}

function languageOf({ name, attribs }: Element): string | undefined {
  const classes = attribs.class ?? '';
  const named =
    attribs['data-lang'] ??
    attribs['data-language'] ??
    (name === 'code' ? attribs.language : undefined) ??
    (LANGUAGE.exec(classes) ?? HIGHLIGHTER_LANGUAGE.exec(classes))?.[1];
  if (named !== undefined || !CODE_ELEMENTS.has(name)) return named;
  return classes.split(/\s+/).find(isClassOfLanguage);
}

const isClassOfLanguage = (name: string) => isLanguageName(name) && !NAMES_OF_LABELS.has(name);

/** The table around a `pre` that has nothing else but its line numbers, if there is one. */
export function codeTableAround(pre: Element): Element | undefined {
  const cell = ancestorsOf(pre, 3).find(({ name }) => name !== 'div');
  if (cell?.name !== 'td') return undefined;
  const [row, body, table] = ancestorsOf(cell, 3);
  const isOnly = row && row.children.filter(isTag).length <= 2 && body?.children.filter(isTag).length === 1;
  if (!isOnly) return undefined;
  return [body, table].find((each) => each?.name === 'table');
}

/** The elements around an element, the innermost first. */
function ancestorsOf({ parent }: Element, most: number): Element[] {
  const ancestors: Element[] = [];
  for (let at = parent; isParentElement(at) && ancestors.length < most; at = at.parent) ancestors.push(at);
  return ancestors;
}

/** Whether a text is the name of a language. */
export const isLanguageName = (text: string): boolean => GROUP_BY_NAME.has(simplify(text));

/** Whether an element says by a class such as `language-js` that it is for code in a language. */
export const namesLanguage = ({ attribs }: Element): boolean => {
  const [, name] = /(?:^|\s)language-(\S+)/.exec(attribs.class ?? '') ?? [];
  return name !== undefined && isLanguageName(name);
};

/** Whether two names are those of one language. */
export function isSameLanguage(one: string, other: string): boolean {
  const [a, b] = [simplify(one), simplify(other)];
  return a !== '' && (a === b || (GROUP_BY_NAME.has(a) && GROUP_BY_NAME.get(a) === GROUP_BY_NAME.get(b)));
}

const simplify = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}+#]/gu, '');

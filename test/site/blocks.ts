import { headline, sentence, sentences, thing } from './prose.ts';
import { type Random, seeded } from './random.ts';

/** A piece of an article's main content. */
export interface Block {
  kind: 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'figure' | 'quote';
  /** Its HTML in UTF-8, encoded once for all articles. */
  html: Buffer;
  /** Number of `<a href>`. */
  links: number;
}

/** A block before it is encoded. */
type Draft = Omit<Block, 'html'> & { html: string };

const POOL_SEED = 1_000_003;
/** Number of articles that are linked. Any number is an article. */
const LINKED_ARTICLES = 5_000;

const link = (random: Random) =>
  `<a href="/article/${random.whole(LINKED_ARTICLES)}" title="${thing(random)}">${thing(random)}</a>`;

function heading(random: Random): Draft {
  const level = 2 + random.whole(3);
  const text = headline(random);
  const id = text.toLowerCase().replace(/[^a-z]+/g, '-');
  return { kind: 'heading', html: `<h${level} id="${id}">${text}</h${level}>`, links: 0 };
}

function paragraph(random: Random): Draft {
  const links = random.whole(3);
  const parts = [sentences(random, 2)];
  for (let count = 0; count < links; count++)
    parts.push(`See ${link(random)} for <em>${thing(random)}</em>.`);
  parts.push(`<strong>${headline(random)}</strong>: ${sentences(random, 1 + random.whole(3))}`);
  return { kind: 'paragraph', html: `<p class="prose-p">${parts.join(' ')}</p>`, links };
}

function list(random: Random): Draft {
  const tag = random.pick(['ul', 'ol']);
  const length = 3 + random.whole(5);
  const items = Array.from({ length }, (_, place) =>
    place === 1
      ? `<li>${sentence(random)}<ul><li>${thing(random)}</li><li>${thing(random)}</li></ul></li>`
      : `<li>${sentence(random)} ${place === 0 ? link(random) : ''}</li>`,
  );
  return { kind: 'list', html: `<${tag}>${items.join('\n')}</${tag}>`, links: 1 };
}

function table(random: Random): Draft {
  const rows = Array.from(
    { length: 3 + random.whole(9) },
    (_, row) =>
      `<tr><td>${row + 1}</td><td>${thing(random)}</td><td align="right">${random.whole(10_000) / 100}</td></tr>`,
  );
  const head = '<thead><tr><th>No.</th><th>Object</th><th>Value in mm</th></tr></thead>';
  const html = `<div class="table-wrap"><table><caption>${headline(random)}</caption>${head}<tbody>${rows.join('\n')}</tbody></table></div>`;
  return { kind: 'table', html, links: 0 };
}

function code(random: Random): Draft {
  const language = random.pick(['typescript', 'python', 'bash', 'sql']);
  const lines = Array.from(
    { length: 4 + random.whole(8) },
    (_, line) => `  const value${line} = read(&quot;${random.whole(1_000)}&quot;, x =&gt; x &lt; ${line});`,
  );
  const html = `<pre><code class="language-${language} hljs">function example() {\n${lines.join('\n')}\n}</code></pre>`;
  return { kind: 'code', html, links: 0 };
}

function figure(random: Random): Draft {
  const image = random.whole(500);
  const html = `<figure class="wide"><picture><source media="(min-width: 800px)" srcset="/image/${image}.png?w=1600 1600w, /image/${image}.png?w=800 800w"><img src="/image/${image}.png?w=400" srcset="/image/${image}.png?w=400 1x, /image/${image}.png?w=800 2x" alt="A picture of ${thing(random)}" loading="lazy" width="400" height="300"></picture><figcaption>${sentence(random)}</figcaption></figure>`;
  return { kind: 'figure', html, links: 0 };
}

function quote(random: Random): Draft {
  const html = `<blockquote><p>${sentences(random, 2)}</p><footer>— <cite>${headline(random)}</cite></footer></blockquote>`;
  return { kind: 'quote', html, links: 0 };
}

function pool(make: (random: Random) => Draft, count: number): Block[] {
  const random = seeded(POOL_SEED + count);
  return Array.from({ length: count }, () => {
    const draft = make(random);
    return { ...draft, html: Buffer.from(`${draft.html}\n`) };
  });
}

const HEADINGS = pool(heading, 120);
const PARAGRAPHS = pool(paragraph, 400);
// Five of seven blocks after a heading are text.
const OTHERS = [pool(list, 61), pool(table, 31), pool(code, 33), pool(figure, 67), pool(quote, 41)];

/** The blocks of one section: a heading, text, and sometimes another element. */
export function section(random: Random): Block[] {
  const blocks = [random.pick(HEADINGS)];
  for (let count = 2 + random.whole(4); count > 0; count--) blocks.push(random.pick(PARAGRAPHS));
  for (let count = 1 + random.whole(2); count > 0; count--) blocks.push(random.pick(random.pick(OTHERS)));
  blocks.push(random.pick(PARAGRAPHS));
  return blocks;
}

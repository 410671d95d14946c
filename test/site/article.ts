import { type Block, section } from './blocks.ts';
import { headline, sentence, sentences, thing } from './prose.ts';
import { seeded } from './random.ts';

const LEAST_BYTES = 32_000;
const MOST_BYTES = 116_000;
const ARTICLES_SEED = 7;
const DAY_MS = 86_400_000;

/** The expected main content of an article, for assertions. */
export interface ArticleTruth {
  title: string;
  /** The first paragraph, which occurs only in this article. */
  firstSentence: string;
  author: string;
  /** ISO 8601, in UTC. */
  published: string;
  /** Number of `<a href>` inside the article element. */
  links: number;
  images: number;
  tables: number;
  codeBlocks: number;
}

interface Plan extends ArticleTruth {
  blocks: Block[];
}

function plan(n: number): Plan {
  const random = seeded(ARTICLES_SEED + n);
  const title = `${headline(random)}, part ${n}`;
  const firstSentence = `Article number ${n} begins with ${thing(random)} and ends with ${thing(random)}.`;
  const blocks: Block[] = [];
  const target = LEAST_BYTES + random.whole(MOST_BYTES - LEAST_BYTES) - AROUND_BYTES;
  for (let bytes = 0; bytes < target; ) {
    for (const block of section(random)) {
      if (bytes >= target) break;
      blocks.push(block);
      bytes += block.html.length;
    }
  }
  const count = (kind: Block['kind']) => blocks.filter((block) => block.kind === kind).length;
  return {
    title,
    firstSentence,
    author: random.pick(['Ada Winter', 'Juan Orchard', 'Mei Lantern', 'Zoë Quarry']),
    published: new Date(Date.UTC(2020, 0, 1) + random.whole(2_000) * DAY_MS).toISOString(),
    // Plus one for the author's link above the text.
    links: blocks.reduce((sum, block) => sum + block.links, 1),
    images: count('figure'),
    tables: count('table'),
    codeBlocks: count('code'),
    blocks,
  };
}

/** The expected content of article `n`, for any whole number from 0. */
export function articleTruth(n: number): ArticleTruth {
  const { blocks: _, ...truth } = plan(n);
  return truth;
}

const around = seeded(ARTICLES_SEED);
const links = (count: number, section: string) =>
  Array.from(
    { length: count },
    (_, place) => `<li class="${section}__item"><a href="/${section}/${place}">${headline(around)}</a></li>`,
  ).join('\n');

const STYLE = `<style>${Array.from({ length: 30 }, (_, n) => `.c-${n}{margin:${n}px auto;color:#${n}${n}4}`).join('')}</style>`;
const SCRIPT = `<script>window.dataLayer=window.dataLayer||[];(function(){var started=Date.now();window.addEventListener("load",function(){dataLayer.push({event:"load",after:Date.now()-started})})})();</script>`;
const HEADER = `<div id="cookie-banner" class="cookie-consent" role="dialog"><p>We use cookies to measure visits.</p><button>Accept all</button></div>
<header class="site-header"><a class="logo" href="/">The Generated Times</a><nav aria-label="Main"><ul>${links(12, 'topic')}</ul></nav><form role="search"><input name="q" placeholder="Search"></form></header>`;
const SIDEBAR = `<aside class="sidebar"><div class="ad ad-slot" id="ad-1"><span>Advertisement</span><a href="https://ads.invalid/click?id=1"><img src="/image/1.png" alt="Buy now"></a></div><section class="related"><h3>Most read</h3><ol>${links(10, 'read')}</ol></section><div class="newsletter"><h3>Newsletter</h3><p>${sentences(around, 2)}</p></div></aside>`;
const COMMENTS = `<section id="comments" class="comments"><h3>Comments</h3>${Array.from({ length: 6 }, (_, n) => `<div class="comment"><span class="user">reader${n}</span><p>${sentences(around, 2)}</p><button>Reply</button></div>`).join('\n')}</section>`;
const FOOTER = `<footer class="site-footer"><nav><ul>${links(18, 'about')}</ul></nav><p>© 2026 The Generated Times. ${sentence(around)}</p></footer>`;
const BEFORE = Buffer.from(`${STYLE}${SCRIPT}</head>\n<body class="single">${HEADER}\n<div class="layout">`);
const AFTER = Buffer.from(`\n${SIDEBAR}</div>${COMMENTS}${FOOTER}</body></html>`);
const AROUND_BYTES = BEFORE.length + AFTER.length + 1_500;

/**
 * The HTML of article `n`, 30 to 120 KB.
 * @param origin origin of the site, for the absolute URLs in its head
 */
export function articlePage(n: number, origin: string): Buffer {
  const { title, firstSentence, author, published, blocks } = plan(n);
  const url = `${origin}/article/${n}`;
  const facts = {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: title,
    datePublished: published,
  };
  // Sites mark their main content in different ways.
  const [open, close] = n % 2 ? ['<main id="content">', '</main>'] : ['<div class="page-content">', '</div>'];
  const head = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title} | The Generated Times</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="${firstSentence}">
<meta name="author" content="${author}"><meta name="keywords" content="generated, article, ${n}">
<meta property="og:type" content="article"><meta property="og:title" content="${title}"><meta property="og:url" content="${url}">
<meta property="og:description" content="${firstSentence}"><meta property="og:image" content="${origin}/image/${n % 500}.png">
<meta property="og:site_name" content="The Generated Times"><meta property="article:published_time" content="${published}">
<link rel="canonical" href="${url}"><link rel="icon" href="/image/0.png">
<script type="application/ld+json">${JSON.stringify(facts)}</script>
`;
  const opening = `${open}<article class="post"><h1>${title}</h1>
<p class="byline">By <a href="/author/${author.slice(0, 3).toLowerCase()}" rel="author">${author}</a>, <time datetime="${published}">${published.slice(0, 10)}</time></p>
<p class="lead">${firstSentence}</p>
`;
  const closing = Buffer.from(`</article>${close}`);
  const body = [Buffer.from(opening), ...blocks.map((block) => block.html), closing];
  return Buffer.concat([Buffer.from(head), BEFORE, ...body, AFTER]);
}

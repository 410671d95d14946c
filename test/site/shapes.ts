import { appData, appTruth } from './app.ts';
import { headline, sentence, sentences, thing } from './prose.ts';
import { type Random, seeded } from './random.ts';

const SHAPES_SEED = 1_300_001;

/** The parts of a page, which differ for each page. */
interface Parts {
  n: number;
  /** Eight hexadecimal digits, as bundlers put into file names. */
  hash: string;
  random: Random;
  /** A row of links, which shells usually have. */
  nav: string;
  /** Some sentences at the end of the page. */
  legal: string;
  /** The script that fetches the content and adds it to the element that the selector matches. */
  fill: (into: string) => string;
}

const page = (head: string, body: string) =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Application</title>${head}</head><body>${body}</body></html>`;

const GTAG = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script><script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('js',new Date());gtag('config','G-1')</script>`;
const JQUERY = '<script src="/vendor/jquery.min.js"></script><script src="/js/site.js"></script>';

/** Pages whose scripts add the content, by their shape. */
export const SCRIPT_SHAPES: Record<string, (parts: Parts) => string> = {
  react: ({ hash, fill }) =>
    page(
      `<script defer="defer" src="/static/js/main.${hash}.js"></script>`,
      `<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>${fill('#root')}`,
    ),
  vite: ({ hash, fill }) =>
    page(
      `<script type="module" crossorigin src="/assets/index-${hash}.js"></script>`,
      `<div id="app"></div>${fill('#app')}`,
    ),
  svelte: ({ hash, fill }) =>
    page(
      `<link rel="modulepreload" href="/_app/immutable/entry/start.${hash}.js">`,
      `<div style="display: contents" id="svelte"><script>{__sveltekit_${hash}={base:""};}</script></div>${fill('#svelte')}`,
    ),
  angular: ({ hash, fill }) =>
    page(
      '<base href="/">',
      `<app-root></app-root><script src="/runtime.${hash}.js" type="module"></script><script src="/polyfills.${hash}.js" type="module"></script>${fill('app-root')}`,
    ),
  next: ({ n, hash, random, fill }) =>
    page(
      '',
      `<div id="__next"><div class="center"><p>Loading ${thing(random)}…</p></div></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: {} }, page: '/item/[id]', query: { id: n }, buildId: hash, isFallback: true })}</script><script src="/_next/static/chunks/pages/_app-${hash}.js" defer></script>${fill('#__next')}`,
    ),
  nuxt: ({ nav, fill }) =>
    page(
      '',
      `<div id="__nuxt"><style>.nuxt-progress{height:2px}</style><header>${nav}</header><svg viewBox="0 0 10 10"><text>N</text></svg></div><script>window.__NUXT__={config:{public:{}},serverRendered:false}</script>${fill('#__nuxt')}`,
    ),
  skeleton: ({ nav, legal, random, fill }) =>
    page(
      '',
      `<div id="app"><header><b>${headline(random)}</b>${nav}</header><main><div class="skeleton skeleton-title"></div>${'<div class="skeleton-line"></div>'.repeat(9)}<p>${thing(random)}</p></main><footer>${legal}</footer></div>${fill('main')}`,
    ),
  'skeleton-cards': ({ nav, random, fill }) =>
    page(
      '',
      `<div class="site-header">${nav}</div><section class="cards"><h2>${headline(random)}</h2><p>${sentence(random)}</p>${'<article class="card is-loading" aria-busy="true"><span class="shimmer"></span></article>'.repeat(6)}<div class="loading-more">Loading…</div></section>${fill('.cards')}`,
    ),
  shell: ({ nav, legal, fill }) =>
    page(
      '',
      `<header><nav>${nav}</nav><p>${legal}</p></header><main><div id="root"><div class="spinner">Loading…</div></div></main><footer>${legal}</footer>${fill('#root')}`,
    ),
  noscript: ({ random, legal, fill }) =>
    page(
      '',
      `<noscript><div class="warning">This site requires JavaScript. Please enable it in the settings of your browser.</div></noscript><div class="view"></div><p>${sentences(random, 2)}</p><div class="footer">${legal}</div>${fill('.view')}`,
    ),
  'document-write': ({ n, random }) =>
    page(
      '',
      `<h1>${headline(random)}</h1><script>${JSON.stringify(appData(n).paragraphs)}.forEach(function(text){document.write("<p>"+text+"</p>")})</script>`,
    ),
  payload: ({ n, nav, random }) =>
    page(
      '',
      `<nav>${nav}</nav><h1>${headline(random)}</h1><div id="content"></div><script type="application/json" id="payload">${JSON.stringify(appData(n))}</script><script>setTimeout(function(){JSON.parse(document.getElementById("payload").textContent).paragraphs.forEach(function(text){var p=document.createElement("p");p.textContent=text;document.getElementById("content").append(p)})},50)</script>`,
    ),
  elements: ({ n, nav, random, fill }) =>
    page(
      '',
      `<site-header><h1>${headline(random)}</h1>${nav}</site-header><p>${sentence(random)}</p><product-list endpoint="/api/app/${n}"></product-list><site-footer></site-footer>${fill('product-list')}`,
    ),
  'loading-text': ({ fill }) => page('', `<div id=app>Loading…</div>${fill('#app')}`),
  webpack: ({ hash, nav, fill }) =>
    page(
      '',
      `<ul class="menu">${nav}</ul><div id="main-app"></div><script>!function(e){var t={};(window.webpackJsonp=window.webpackJsonp||[]).push([[0],t])}([])</script><script src="/static/js/2.${hash}.chunk.js"></script>${fill('#main-app')}`,
    ),
  angularjs: ({ nav, random, fill }) =>
    `<!doctype html><html ng-app="shop"><head><title>Shop</title></head><body ng-controller="List"><div class="nav">${nav}</div><p>${sentences(random, 3)}</p><ul class="items"><li ng-repeat="item in items">{{item.title}}: {{item.price | currency}}</li></ul>${fill('.items')}</body></html>`,
  results: ({ nav, legal, random, fill }) =>
    page(
      GTAG,
      `<header>${nav}</header><main><h1>${headline(random)}</h1><div id="results" aria-live="polite"></div></main><footer>${legal}</footer>${fill('#results')}`,
    ),
  'role-main': ({ nav, legal, fill }) =>
    page(
      '',
      `<div class="top-bar">${nav}</div><div id="page" role="main"><div></div></div><div class="bottom">${legal}</div>${fill('#page')}`,
    ),
};

const article = ({ random }: Parts, count = 14) =>
  `<article><h1>${headline(random)}</h1>${Array.from({ length: count }, () => `<p>${sentence(random)}</p>`).join('')}</article>`;

/** Pages with scripts whose content is in the HTML, by their shape. */
export const STATIC_SHAPES: Record<string, (parts: Parts) => string> = {
  react: (parts) =>
    page(
      '',
      `<div id="root"><div data-reactroot=""><header>${parts.nav}</header>${article(parts)}</div></div><script src="/static/js/main.${parts.hash}.js"></script>`,
    ),
  next: (parts) =>
    page(
      `<script src="/_next/static/chunks/main-${parts.hash}.js" defer></script>`,
      `<div id="__next"><header>${parts.nav}</header><main>${article(parts)}</main><footer>${parts.legal}</footer></div><script id="__NEXT_DATA__" type="application/json">{"props":{},"page":"/"}</script>`,
    ),
  nuxt: (parts) =>
    page(
      '',
      `<div id="__nuxt"><!--[--><div><nav>${parts.nav}</nav>${article(parts)}</div><!--]--></div><script type="module" src="/_nuxt/entry.${parts.hash}.js"></script>`,
    ),
  gatsby: (parts) =>
    page(
      '',
      `<div id="___gatsby"><div tabindex="-1" id="gatsby-focus-wrapper">${article(parts)}</div></div><script src="/app-${parts.hash}.js" async></script>`,
    ),
  sveltekit: (parts) =>
    page(
      '',
      `<div style="display: contents" id="svelte"><main data-svelte-h="svelte-1">${article(parts, 5)}</main><script>{__sveltekit_${parts.hash}={}}</script></div>`,
    ),
  'short-served': ({ nav, random, hash }) =>
    page(
      '',
      `<div id="__next"><!--$--><header>${nav}</header><main><h1>${headline(random)}</h1><p>${sentence(random)}</p></main><!--/$--></div><script src="/_next/static/chunks/main-${hash}.js" async></script>`,
    ),
  sparse: ({ random }) => page(GTAG, `<h1>${headline(random)}</h1><p>${thing(random)}</p>`),
  watched: ({ random }) =>
    page(
      '<script defer data-domain="site.test" src="https://plausible.io/js/script.js"></script><script>document.documentElement.classList.add("js")</script>',
      `<main><h1>${headline(random)}</h1><p>${sentence(random)}</p></main><noscript><img src="https://mc.yandex.ru/watch/1" alt=""></noscript>`,
    ),
  short: ({ random, nav }) =>
    page(
      '',
      `<div class="menu">${nav}</div><h1>${headline(random)}</h1><p>${sentences(random, 4)}</p>${JQUERY}`,
    ),
  'json-ld': (parts) =>
    page(
      Array.from(
        { length: 8 },
        () =>
          `<script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: sentences(parts.random, 12) })}</script>`,
      ).join(''),
      `<h1>${headline(parts.random)}</h1><p>${sentence(parts.random)}</p>`,
    ),
  wordpress: (parts) =>
    page(
      `<script>window._wpemojiSettings={"baseUrl":"https://s.w.org/images/"};</script>${JQUERY}`,
      `<div id="page" class="site"><header id="masthead" class="site-header">${parts.nav}</header><main id="primary" class="site-main">${article(parts, 6)}</main><aside>${parts.nav}</aside><footer>${parts.legal}</footer></div>${GTAG}`,
    ),
  overlay: (parts) =>
    page(
      JQUERY,
      `<div class="preloader"><div class="spinner"></div></div><div class="content">${article(parts)}</div>`,
    ),
  widgets: (parts) =>
    page(
      '',
      `<div id="modal-root"></div><div id="search-app"></div><div id="app-banner"></div>${article(parts)}<div id="disqus_thread"></div><noscript>Please enable JavaScript to view the comments.</noscript>${JQUERY}`,
    ),
  index: ({ random }) =>
    page(
      GTAG,
      `<ul>${Array.from({ length: 30 }, (_, index) => `<li><a href="/article/${index + 1}">${headline(random)}</a></li>`).join('')}</ul>${JQUERY}`,
    ),
  'lazy-images': (parts) =>
    page(
      JQUERY,
      `${article(parts, 5)}${'<img class="lazyload" loading="lazy" data-src="/image/1.png" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="">'.repeat(20)}`,
    ),
  components: (parts) =>
    page(
      '',
      `<sl-icon name="star"></sl-icon>${article(parts)}<share-buttons></share-buttons><script type="module" src="/wc.${parts.hash}.js"></script>`,
    ),
};

/** The HTML of a page of a shape. */
export function shapePage(shape: (parts: Parts) => string, n: number): string {
  const random = seeded(SHAPES_SEED + n);
  const links = Array.from(
    { length: 3 + random.whole(8) },
    () => `<a href="/article/${1 + random.whole(99)}">${thing(random)}</a>`,
  );
  return shape({
    n,
    random,
    hash: (random.whole(0x7fffffff) + 0x10000000).toString(16).padStart(8, '0').slice(0, 8),
    nav: links.join(' '),
    legal: sentences(random, 1 + random.whole(6)),
    fill: (into) =>
      `<script src="/shapes/fill.js?n=${n}&amp;into=${encodeURIComponent(into)}" defer></script>`,
  });
}

/** A sentence that a page of a script shape has only after its scripts have run. */
export const shapeSentence = (n: number) => appTruth(n).firstSentence;

/** The script that fills the element named in the query of its own URL. */
export const FILL = `var asked=new URL(document.currentScript.src).searchParams;
fetch("/api/app/"+asked.get("n")).then(function(answer){return answer.json()}).then(function(data){
var root=document.querySelector(asked.get("into"));root.replaceChildren();document.title=data.title;
data.paragraphs.forEach(function(text){var p=document.createElement("p");p.textContent=text;root.append(p)})})`;

import { headline, sentences, thing } from './prose.ts';
import { seeded } from './random.ts';

const APPS_SEED = 900_001;
const DELAY_MS = 100;
const VARIANTS = ['inline', 'fetch', 'shell'] as const;

/** The expected content of a page that its script builds. */
export interface AppTruth {
  /**
   * `inline`: the script contains the content; `fetch`: it fetches `/api/app/:n`; `shell`: the same, with
   * server-rendered navigation.
   */
  variant: (typeof VARIANTS)[number];
  title: string;
  /** A sentence of this page only, which is not in the HTML source of the variants `fetch` and `shell`. */
  firstSentence: string;
}

/** The expected content of `/app/:n`. The variants alternate. */
export function appTruth(n: number): AppTruth {
  const random = seeded(APPS_SEED + n);
  // The remainder is always a valid index.
  const variant = VARIANTS[n % VARIANTS.length] as AppTruth['variant'];
  return {
    variant,
    title: `${headline(random)}, view ${n}`,
    firstSentence: `Application view ${n} was drawn by a script about ${thing(random)}.`,
  };
}

/** The content of `/app/:n`, which `/api/app/:n` returns. */
export function appData(n: number): { title: string; paragraphs: string[] } {
  const { title, firstSentence } = appTruth(n);
  const random = seeded(APPS_SEED - n - 1);
  return { title, paragraphs: [firstSentence, ...Array.from({ length: 12 }, () => sentences(random, 4))] };
}

const DRAW = `function draw(data){document.title=data.title;var root=document.getElementById("root");var article=document.createElement("article");
var heading=document.createElement("h1");heading.textContent=data.title;article.append(heading);
data.paragraphs.forEach(function(text){var p=document.createElement("p");p.textContent=text;article.append(p)});
var link=document.createElement("a");link.href="/article/1";link.textContent="An article";article.append(link);root.replaceChildren(article)}`;

/** The HTML of `/app/:n`. Its script adds the content `delayMs` milliseconds after the page has loaded. */
export function appPage(n: number, delayMs = DELAY_MS): string {
  const { variant } = appTruth(n);
  const data =
    variant === 'inline'
      ? `draw(${JSON.stringify(appData(n))})`
      : `fetch("/api/app/${n}").then(function(answer){return answer.json()}).then(draw)`;
  const shell = sentences(seeded(APPS_SEED), 8);
  const [before, after] =
    variant === 'shell'
      ? [
          `<header><nav><a href="/app/${n + 1}">Next</a></nav><p>${shell}</p></header><main>`,
          `</main><footer>${shell}</footer>`,
        ]
      : ['', ''];
  const root =
    variant === 'shell'
      ? '<div id="root"><div class="spinner">Loading…</div></div>'
      : '<div id="root"></div>';
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Application</title></head>
<body>${before}${root}${after}<script>${DRAW}
setTimeout(function(){${data}},${delayMs})</script></body></html>`;
}

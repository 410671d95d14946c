import { describe, expect, it } from 'vitest';
import { createContent } from '../../../src/content/html/content.ts';
import { isSelector } from '../../../src/content/html/selector.ts';
import type { CleanOptions } from '../../../src/content/snapshot.ts';
import { ServiceError } from '../../../src/errors.ts';
import { contentOf, DEFAULTS, snapshotOf } from './page.ts';

/** The body of a cleaned page. */
const body = (html: string, options = {}, changes = {}) =>
  contentOf(html, options, changes).html.replace(/^.*<body[^>]*>|<\/body>.*$/gs, '');

describe('what is never content', () => {
  it('is removed whatever the options say', () => {
    const html = `<head><title>t</title><base href="/b/"><style>s{}</style></head>
      <script>1</script><style>x{}</style><template><p>t</p></template><link rel=x><meta name=a content=b><!-- c --><p>kept`;
    expect(body(html, { onlyMainContent: false }).trim()).toBe('<p>kept</p>');
  });

  it('leaves the raw HTML unchanged', () => {
    const html = '<script>1</script><nav>n</nav><p>x';
    const content = contentOf(html, { excludeTags: ['p'] });
    expect(content.html).not.toContain('x');
    expect(content.snapshot.text).toBe(html);
    expect(content.attribute('p', 'class')).toEqual([]);
  });

  it('keeps noscript for pages that no browser has rendered', () => {
    const html = '<p>a</p><noscript><img src="/lazy.png"></noscript>';
    expect(body(html, {}, { engine: 'http' })).toBe('<p>a</p><img src="https://site.test/lazy.png">');
    expect(body(html, {}, { engine: 'browser' })).toBe('<p>a</p>');
  });

  it('includes noframes when the frames were read', () => {
    const html = '<div data-original-tag="iframe"><p>a</p></div><noframes><p>b</p></noframes>';
    expect(contentOf(html, {}, { engine: 'browser' }).markdown).toBe('a');
    const frameset = '<frameset><frame src="/a"><noframes>b</noframes></frameset>';
    expect(contentOf(frameset, {}, { engine: 'http' }).markdown).toBe('b');
  });
});

describe('URLs in the content', () => {
  it('become absolute, relative to the base element if there is one', () => {
    expect(body('<a href="../x">a</a><img src="i.png">')).toBe(
      '<a href="https://site.test/x">a</a><img src="https://site.test/dir/i.png">',
    );
    expect(body('<base href="https://cdn.test/d/"><a href="x">a</a>')).toBe(
      '<a href="https://cdn.test/d/x">a</a>',
    );
  });

  it('that are invalid stay unchanged', () => {
    expect(body('<a href="http://[">a</a>')).toBe('<a href="http://[">a</a>');
  });

  const sources: [string, string, string][] = [
    [
      'the widest candidate',
      '<img src=s srcset="m 100w, l.png 2000w, n 300w">',
      'https://site.test/dir/l.png',
    ],
    ['the densest candidate', '<img src=s srcset="m, l.png 2.5x, n 1.5x">', 'https://site.test/dir/l.png'],
    ['an address with commas', '<img srcset="/a,b,c.png 2x, /d.png">', 'https://site.test/a,b,c.png'],
    ['the plain source', '<img src="s.png" srcset=" , ">', 'https://site.test/dir/s.png'],
    ['a lazy source', '<img src="data:image/gif;base64,R0" data-src="l.png">', 'https://site.test/dir/l.png'],
    [
      'a lazy source before a placeholder',
      '<img src="dot.gif" data-src="l.png">',
      'https://site.test/dir/l.png',
    ],
    [
      'lazy candidates',
      '<img srcset="dot.gif 1w" data-srcset="s.png 1x, l.png 2x">',
      'https://site.test/dir/l.png',
    ],
    ['no options for an address', '<img src="s.png" data-lazy="{ a: 1 }">', 'https://site.test/dir/s.png'],
    ['a lazy source alone', '<img data-src="l.png">', 'https://site.test/dir/l.png'],
    [
      'the largest of the sources around it',
      '<picture><source srcset="s.avif 1x, m.avif 2x"><source data-srcset="l.webp 400w"><img alt="a"></picture>',
      'https://site.test/dir/l.webp',
    ],
    [
      'the sources around a placeholder',
      '<picture><source srcset="l.webp"><img src="data:image/gif;base64,R0"></picture>',
      'https://site.test/dir/l.webp',
    ],
    [
      'its own before those around it',
      '<picture><source srcset="l.webp 2x"><img src="s.png"></picture>',
      'https://site.test/dir/s.png',
    ],
    [
      'that of AMP',
      '<amp-img data-x src="s.png" srcset="l.png 800w"></amp-img>',
      'https://site.test/dir/l.png',
    ],
    [
      'a background by its role',
      '<div role="img" style="background-image:url(&quot;b.png&quot;)"></div>',
      'https://site.test/dir/b.png',
    ],
  ];
  it.each(sources)('of an image are %s', (_name, html, src) => {
    expect(body(html)).toContain(`src="${src}"`);
  });
});

describe('an image', () => {
  const markdown = (html: string) => contentOf(html).markdown;

  it.each([
    ['of a picture', '<picture><source srcset="/a.webp"><img alt="Rain"></picture>'],
    [
      'of AMP',
      '<amp-img src="/a.webp" alt="Rain" width="300" height="200"><noscript><img src="/a.webp"></noscript></amp-img>',
    ],
    [
      'of AMP whose width and height are its proportions',
      '<amp-img src="/a.webp" alt="Rain" width="1" height="1"></amp-img>',
    ],
    ['that is a background', '<span role="img" aria-label="Rain" style="background:url(/a.webp)"></span>'],
  ])('%s stays with its alternative text', (_name, html) => {
    expect(markdown(html)).toBe('![Rain](https://site.test/a.webp)');
  });

  it.each([
    ['that counts visits', '<img src="/a.gif" width="1" height="1" alt="Rain">'],
    ['of AMP that counts visits', '<amp-img src="/a.gif" width="1" height="1"></amp-img>'],
    ['that is a background without a role', '<div style="background:url(/a.gif)"></div>'],
  ])('%s is dropped', (_name, html) => {
    expect(markdown(`<p>Text</p>${html}`)).toBe('Text');
  });

  it('of AMP without a text is kept if it fills the width', () => {
    const html = '<amp-img src="/a.gif" width="1" height="1" layout="responsive"></amp-img>';
    expect(markdown(html)).toBe('![](https://site.test/a.gif)');
  });
});

describe('includeTags and excludeTags', () => {
  const html = '<h1>h</h1><p class=a>1</p><div id=d><p class=a>2</p><span>3</span></div><p>4</p>';
  const texts = (options: object) => contentOf(html, options).markdown.split(/\s+/).join(' ');

  it('keep only what matches, in the order of the selectors', () => {
    expect(texts({ includeTags: ['.a'] })).toBe('1 2');
    expect(texts({ includeTags: ['#d', 'h1'] })).toBe('2 3 # h');
  });

  it('keep a match inside another match once, in its place', () => {
    expect(texts({ includeTags: ['.a', '#d'] })).toBe('1 2 3');
  });

  it('drop what matches', () => {
    expect(texts({ excludeTags: ['.a', 'h1'] })).toBe('3 4');
  });

  it('drop from what was included', () => {
    expect(texts({ includeTags: ['#d'], excludeTags: ['span'] })).toBe('2');
  });

  it('give nothing when nothing matches', () => {
    expect(texts({ includeTags: ['.none'] })).toBe('');
    expect(contentOf(html, { includeTags: ['.none'] }).links).toEqual([]);
  });

  it('warn only when nothing is kept', () => {
    const warningsFor = (options: Partial<CleanOptions>) => {
      const warnings: string[] = [];
      const content = createContent(snapshotOf(html), { ...DEFAULTS, ...options }, (each) =>
        warnings.push(each),
      );
      return content.links.length >= 0 ? warnings : [];
    };
    expect(warningsFor({ includeTags: ['.none', 'article'] })).toEqual([
      expect.stringMatching(/^includeTags: \.none, article match(es)? nothing/),
    ]);
    expect(warningsFor({ includeTags: ['.a'], excludeTags: ['.none', '.a'] })).toEqual([
      'excludeTags: .none, .a remove all that includeTags: .a select, so nothing of the page was kept.',
    ]);
    for (const options of [
      { includeTags: ['.a', '.none'] },
      { includeTags: [] },
      {},
      { excludeTags: ['.none'] },
    ])
      expect(warningsFor(options)).toEqual([]);
  });

  it('count as missing when they are empty', () => {
    expect(texts({ includeTags: [], excludeTags: [] })).toBe('# h 1 2 3 4');
  });

  it('keep boilerplate that is named explicitly', () => {
    const page = '<nav>menu</nav><p>text</p>';
    expect(contentOf(page, { includeTags: ['nav'] }).markdown).toBe('menu');
  });

  const frames = '<div data-original-tag="iframe"><p>framed</p></div><p>x iframe</p>';
  it.each(['iframe', 'body > iframe', 'p, iframe', 'IFRAME', ':is(iframe)'])(
    'apply to inlined frames too: %s',
    (selector) => {
      expect(contentOf(frames, { excludeTags: [selector] }).markdown).not.toContain('framed');
    },
  );

  it('do not treat other words as iframe', () => {
    const page =
      '<p class="iframe">a</p><p title="an iframe">b</p><my-iframe>c</my-iframe><iframe-x>d</iframe-x>';
    const rest = contentOf(page, { excludeTags: ['.iframe', '[title="an iframe"]', 'iframe-x'] }).markdown;
    expect(rest).toBe('c');
  });

  it('refuse an invalid selector by name', () => {
    const ask = () => contentOf('<p>x', { excludeTags: ['p['] }).markdown;
    expect(ask).toThrow(ServiceError);
    expect(ask).toThrow('"p["');
  });
});

describe('isSelector', () => {
  it.each(['p', '#a .b > c', 'a[href^="x"]', ':has(> img)', 'li:nth-child(2n+1)', 'a, b'])(
    '%s is one',
    (text) => {
      expect(isSelector(text)).toBe(true);
    },
  );
  it.each(['[', 'p[', '::before', ':nope(', '', 'a:unknown-pseudo'])('%j is none', (text) => {
    expect(isSelector(text)).toBe(false);
  });
});

describe('onlyMainContent', () => {
  const surroundings = [
    '<header>S</header>',
    '<footer>S</footer>',
    '<nav>S</nav>',
    '<aside>S</aside>',
    '<div class="x sidebar y">S</div>',
    '<div class="cookie">S</div>',
    '<div id="breadcrumbs">S</div>',
    '<div id="widget">S</div>',
  ];
  it.each(surroundings)('drops %s', (html) => {
    expect(contentOf(`${html}<p>text</p>`).markdown).toBe('text');
    expect(contentOf(`${html}<p>text</p>`, { onlyMainContent: false }).markdown).toBe('S\n\ntext');
  });

  it('keeps classes with similar names', () => {
    expect(contentOf('<div class="adsense-free topic">text</div>').markdown).toBe('text');
  });

  it('keeps elements that contain the main content', () => {
    const page = '<header><div id="main"><p>text</p><nav>menu</nav></div></header>';
    expect(contentOf(page).markdown).toBe('text');
  });

  it('keeps a body with a class name of boilerplate', () => {
    expect(contentOf('<body class="sidebar"><p>text').markdown).toBe('text');
  });

  it.each(['<nav>all there is</nav>', '<footer><p>all there is</p></footer><div> </div>'])(
    'does not empty a page that has something: %s',
    (html) => expect(contentOf(html).markdown).toBe('all there is'),
  );

  it('counts an image as content', () => {
    expect(contentOf('<img src=a.png><nav>menu</nav>').markdown).toBe('![](https://site.test/dir/a.png)');
  });
});

it('markup that was escaped inside of noscript is no text', () => {
  const html = '<p>Text</p><noscript>&lt;img src="pixel.gif"></noscript><noscript>5 &lt; 6</noscript>';
  expect(contentOf(html, { onlyMainContent: false }).markdown).toBe('Text\n\n5 < 6');
});

it('a noscript inside of another, as a browser writes it, does not hide the page after it', () => {
  const html =
    '<body><noscript><!-- tag --><noscript><iframe src="/tag"></iframe></noscript><main><p>Text</p></main>';
  expect(contentOf(html, {}, { engine: 'browser' }).markdown).toBe('Text');
});

import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const dataOf = (html: string) => contentOf(html).structuredData;
const script = (text: string) => `<script type="application/ld+json">${text}</script>`;
const jsonLdOf = (...blocks: string[]) => dataOf(blocks.map(script).join('')).jsonLd;

describe('JSON-LD', () => {
  it('returns the nodes of every block, graph and list, without vocabulary prefixes', () => {
    const graph =
      '{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"S"},{"@type":["Product","Thing"],"schema:name":"P"}]}';
    const list = '[{"@type":"http://schema.org/Event","name":"E"}]';
    expect(jsonLdOf(graph, list)).toEqual([
      { '@type': 'WebSite', name: 'S' },
      { '@type': 'Product', name: 'P' },
      { '@type': 'Event', name: 'E' },
    ]);
  });

  const broken: [string, string][] = [
    ['comments', '/* a */ {"name": "N" // b\n}'],
    ['addresses beside comments', '{"url": "https://a.test/*x*/", // b\n "name": "N"}'],
    ['CDATA', '//<![CDATA[\n{"name":"N"}\n//]]>'],
    ['marks of comments of HTML', '<!-- {"name":"N"} -->'],
    ['commas too many', '{"name":"N","list":["a","b",],}'],
    ['line breaks and tabs in texts', '{"name":"N","text":"a\n\tb"}'],
    ['a semicolon behind it', '{"name":"N"};'],
    ['two objects in a block', '{"@type":"A"}{"name":"N"}'],
    ['escaped quotation marks', '{&quot;name&quot;:&quot;N&quot;}'],
    ['what is no JSON in front', 'var data = {"name":"N"}'],
  ];
  it.each(broken)('is read despite %s', (_name, block) => {
    expect(jsonLdOf(block).at(-1)).toMatchObject({ name: 'N' });
  });

  it('keeps text that looks like a syntax error', () => {
    const text = 'a // b /* c */ ,] <!-- d';
    expect(jsonLdOf(`{"name":${JSON.stringify(text)},}`)).toEqual([{ name: text }]);
  });

  it('decodes entities in texts', () => {
    expect(jsonLdOf('{"name":"Tom &amp; J&#233;r&#xF4;me"}')).toEqual([{ name: 'Tom & Jérôme' }]);
    expect(jsonLdOf('{"name":"L&amp;#8217;atelier &ndash; Caf&eacute;"}')).toEqual([
      { name: 'L’atelier – Café' },
    ]);
    expect(jsonLdOf('{"name":"R&D &unknown; /a?b=1&copy=2"}')).toEqual([
      { name: 'R&D &unknown; /a?b=1&copy=2' },
    ]);
  });

  it('joins words that may be broken', () => {
    expect(jsonLdOf('{"name":"Staubsaugerzub<wbr/>ehör &lt;wbr&gt;B4<WBR />02"}')).toEqual([
      { name: 'Staubsaugerzubehör B402' },
    ]);
  });

  it('is read from a script that adds it to the page', () => {
    const data = (html: string) => dataOf(html).jsonLd;
    const made = `<script>
      const a = { b: "}" };
      data = { "@context": "https://schema.org/", "@type": "Product", "name": "A {lamp}", "brand": { "name": "Lux", } };
      data.offers = price(3);
    </script>`;
    expect(data(made)).toEqual([{ '@type': 'Product', name: 'A {lamp}', brand: { name: 'Lux' } }]);
    const added = { '@type': 'Product', name: 'A lamp', offers: { price: 3 } };
    expect(data(made + script(JSON.stringify(added)))).toEqual([added]);
    expect(data('<script>x = { "@context": "https://schema.org", "name": title }</script>')).toEqual([]);
    expect(data('<script>x = { "@context": "https://other.test", "name": "N" }</script>')).toEqual([]);
    expect(data('<script>x = { "@context": "https://schema.org", "name": "N"')).toEqual([]);
  });

  it('names the members of enumerations without their vocabulary', () => {
    const member = (value: string) => jsonLdOf(JSON.stringify({ availability: value }))[0]?.availability;
    for (const written of ['https://schema.org/InStock', 'http://schema.org/InStock', 'schema:InStock'])
      expect(member(written)).toBe('InStock');
    expect(member('https://schema.org/docs/about')).toBe('https://schema.org/docs/about');
  });

  it('resolves references, except circular ones', () => {
    const [article] = jsonLdOf(
      '{"@graph":[{"@type":"Article","author":{"@id":"#a"}},{"@id":"#a","name":"Ann","knows":{"@id":"#a"}}]}',
    );
    expect(article).toEqual({
      '@type': 'Article',
      author: { '@id': '#a', name: 'Ann', knows: { '@id': '#a' } },
    });
  });

  it.each(['', '{', '"text"', 'null', '7', '{"@context":"https://schema.org"}', '[[]]', '<p>'])(
    'gives nothing of %j',
    (block) => {
      expect(jsonLdOf(block)).toEqual([]);
    },
  );

  it('accepts the names of object members', () => {
    const [item] = jsonLdOf('{"__proto__":{"x":1},"schema:__proto__":{"y":1},"constructor":"c","name":"N"}');
    expect(item).toEqual({ constructor: 'c', name: 'N' });
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
  });

  it('is cut at a nesting depth and a size', () => {
    const tower = `${'{"name":"N","in":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    expect(JSON.stringify(jsonLdOf(tower)).split('"in"').length).toBeLessThan(25);
    const many = JSON.stringify(Array.from({ length: 50_000 }, (_, n) => ({ name: `n${n}` })));
    const found = jsonLdOf(many);
    expect(found[0]).toEqual({ name: 'n0' });
    expect(found.length).toBeLessThan(20_000);
  });

  it('of nodes that all refer to each other stays small', () => {
    const nodes = Array.from({ length: 1_000 }, (_, n) => ({
      '@id': `#${n}`,
      knows: Array.from({ length: 10 }, (_, k) => ({ '@id': `#${(n + k) % 1_000}` })),
    }));
    expect(JSON.stringify(jsonLdOf(JSON.stringify(nodes))).length).toBeLessThan(2_000_000);
  });
});

describe('microdata', () => {
  const PRODUCT = `<div itemscope itemtype="https://schema.org/Product">
    <h1 itemprop="name">A <b>lamp</b></h1><img itemprop="image" src="a.png"><img itemprop="image" src="/b.png">
    <div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
      <meta itemprop="priceCurrency" content="EUR"><span itemprop="price" content="12.50">12,50 €</span>
      <link itemprop="availability" href="https://schema.org/InStock"></div>
    <time itemprop="releaseDate" datetime="2024-01-02">2 January</time></div>`;

  it('returns items with the values of their elements, also nested ones', () => {
    expect(dataOf(PRODUCT).microdata).toEqual([
      {
        '@type': 'Product',
        name: 'A lamp',
        image: ['https://site.test/dir/a.png', 'https://site.test/b.png'],
        offers: {
          '@type': 'Offer',
          priceCurrency: 'EUR',
          price: '12.50',
          availability: 'InStock',
        },
        releaseDate: '2024-01-02',
      },
    ]);
  });

  it('leaves out empty values and properties outside of items', () => {
    expect(dataOf('<div itemscope itemtype="x:/A"></div><p itemprop="name">N</p>').microdata).toEqual([]);
  });

  it('accepts the names of object members and items with two names', () => {
    const page = `<div itemscope><i itemprop="constructor __proto__">c</i>${'<div itemscope itemprop="a b"><i itemprop="n">x</i>'.repeat(100)}`;
    const { microdata } = dataOf(page);
    expect(microdata[0]).toMatchObject({ constructor: 'c', a: { a: { n: 'x' } } });
    expect(JSON.stringify(microdata).length).toBeLessThan(5_000);
  });

  it('of endlessly nested items returns some', () => {
    const { microdata } = dataOf(`${'<div itemscope itemprop="a"><i itemprop="n">x</i>'.repeat(9_000)}`);
    expect(microdata).toHaveLength(1);
    expect(JSON.stringify(microdata).length).toBeLessThan(500_000);
  });
});

it('RDFa Lite returns items, and Open Graph is not mistaken for it', () => {
  const page = `<html typeof="WebPage"><meta property="og:title" content="T"><body vocab="https://schema.org/">
    <div typeof="schema:Person"><span property="schema:name">Ann</span> <a property="url" href="/ann">x</a></div>`;
  expect(dataOf(page).rdfa).toEqual([{ '@type': 'Person', name: 'Ann', url: 'https://site.test/ann' }]);
});

it('Open Graph and Twitter cards have their full names, and repeated ones are lists', () => {
  const page = `<meta property="og:image" content="a"><meta property="OG:image" content="b">
    <meta name="twitter:card" content="summary"><meta property="product:price:amount" content="5"><meta name="other" content="x">`;
  expect(dataOf(page)).toMatchObject({
    openGraph: { 'og:image': ['a', 'b'], 'product:price:amount': '5' },
    twitter: { 'twitter:card': 'summary' },
  });
  expect(Object.keys(dataOf(page).openGraph)).toHaveLength(2);
});

it('a page that is not HTML has no structured data', () => {
  const { structuredData } = contentOf('{"@type":"Product"}', {}, { kind: 'json' });
  expect(structuredData).toMatchObject({ jsonLd: [], microdata: [], rdfa: [], openGraph: {}, twitter: {} });
});

describe('metadata', () => {
  const dated = script('{"@type":"Article","datePublished":"2024-01-02","dateModified":"2024-02-03"}');

  it('takes the times of publication and modification from it', () => {
    expect(contentOf(dated).metadata).toEqual({ publishedTime: '2024-01-02', modifiedTime: '2024-02-03' });
  });

  it('prefers meta tags', () => {
    const tag = '<meta property="article:published_time" content="2020-01-01">';
    expect(contentOf(tag + dated).metadata).toMatchObject({
      publishedTime: '2020-01-01',
      modifiedTime: '2024-02-03',
    });
  });
});

describe('blocks', () => {
  it('are the visible texts, with the heading above them', () => {
    const page = `<h1>A <i>b</i></h1><p>One<br>two <b>three</b></p><h2>C</h2><ul><li>x<li>y<ul><li>z</ul></ul>
      <dl><dt>Term<dd>What it is</dl><table><tr><td>1<td>2</table><pre>code</pre>`;
    expect(contentOf(page).blocks).toEqual([
      { kind: 'heading', text: 'A b', section: '' },
      { kind: 'text', text: 'One', section: 'A b' },
      { kind: 'text', text: 'two three', section: 'A b' },
      { kind: 'heading', text: 'C', section: '' },
      { kind: 'item', text: 'x', section: 'C' },
      { kind: 'item', text: 'y', section: 'C' },
      { kind: 'item', text: 'z', section: 'C' },
      { kind: 'item', text: 'Term What it is', section: 'C' },
      { kind: 'row', text: '1 2', section: 'C' },
      { kind: 'code', text: 'code', section: 'C' },
    ]);
  });

  it('of plain text are its paragraphs', () => {
    const { blocks } = contentOf('One\nline\n \nTwo', {}, { kind: 'text' });
    expect(blocks.map(({ text }) => text)).toEqual(['One line', 'Two']);
  });
});

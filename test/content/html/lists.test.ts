import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

/** Feeds and sitemaps that are scraped as pages. */

const listAt = (text: string, url = 'https://site.test/feed.xml', options = {}) =>
  contentOf(text, options, { kind: 'text', url, contentType: 'application/xml' });

const RSS = `<?xml version="1.0"?>
<?xml-stylesheet href="/feed.xsl" type="text/xsl"?><!-- made by hand -->
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:atom="http://www.w3.org/2005/Atom"><channel>
  <title>Rain &amp; wind</title><link>https://site.test/</link><atom:link rel="self" href="/feed.xml"/>
  <description>All that falls</description><language>en-gb</language>
  <image><title>Logo</title><link>https://logo.test/</link></image>
  <item><title><![CDATA[Map<Rain> &amp; <b>more</b>]]></title><link>/one?a=1&amp;b=2</link><pubDate>Mon, 06 Sep 2021</pubDate>
    <dc:creator>Jane Doe</dc:creator><description>In short</description>
    <content:encoded><![CDATA[<p>The whole <a href="more">text</a></p><div>left open <script>track()</script><img src="/p.png">]]></content:encoded>
    <enclosure url="/1.mp3" type="audio/mpeg" length="1"/></item>
  <item><description>Without a title, &lt;em&gt;a note&lt;/em&gt;</description><guid>https://site.test/2</guid>
    <author>joe@site.test (Joe Doe)</author></item>
  <item><title>Third</title><guid isPermaLink="false">https://site.test/id/3</guid></item>
</channel></rss>`;

describe('an RSS feed', () => {
  const { markdown, links, metadata, images, html } = listAt(RSS);

  it('is rendered as its entries with title, date, author, text and files', () => {
    expect(markdown.split(/\n+/)).toEqual([
      ...['# [Rain & wind](https://site.test/)', 'All that falls'],
      ...['## [Map\\<Rain> & more](https://site.test/one?a=1&b=2)', 'Mon, 06 Sep 2021 · Jane Doe'],
      ...['The whole [text](https://site.test/more)', 'left open ![](https://site.test/p.png)'],
      ...[
        '<https://site.test/1.mp3>',
        '<https://site.test/2>',
        'Joe Doe',
        'Without a title, *a note*',
        '## Third',
      ],
    ]);
  });

  it('has the links of its entries', () => {
    expect(links).toEqual([
      ...['https://site.test/', 'https://site.test/one?a=1&b=2', 'https://site.test/more'],
      ...['https://site.test/1.mp3', 'https://site.test/2'],
    ]);
    expect(listAt(RSS).discovered).toEqual(links);
    expect(images).toEqual(['https://site.test/p.png']);
  });

  it('has its own title', () => {
    expect(metadata).toMatchObject({
      title: 'Rain & wind',
      description: 'All that falls',
      language: 'en-gb',
    });
  });

  it('is rendered as HTML on request, without scripts', () => {
    expect(html).toContain('<article><h2><a href="https://site.test/one?a=1&amp;b=2">');
    expect(html).not.toContain('track()');
  });

  it('obeys includeTags and excludeTags', () => {
    expect(listAt(RSS, undefined, { includeTags: ['h2'] }).markdown).toBe(
      '## [Map\\<Rain> & more](https://site.test/one?a=1&b=2)\n\n## Third',
    );
    expect(listAt(RSS, undefined, { excludeTags: ['section'] }).markdown).not.toContain('whole');
  });

  it('can be RDF', () => {
    const rdf = `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title></channel>
      <item><title>One</title><link>https://site.test/1</link></item></rdf:RDF>`;
    expect(listAt(rdf).markdown).toBe('# Old\n\n## [One](https://site.test/1)');
  });
});

describe('an Atom feed', () => {
  const atom = (entry: string, attributes = '') =>
    listAt(
      `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>Feed</title><entry>${entry}</entry></feed>`,
    );

  it('is rendered as its entries', () => {
    const { markdown, metadata } = atom(
      `<title type="html">A &amp;lt;b&amp;gt; tag</title><link rel="enclosure" href="/a.zip"/><link href="/e"/>
       <published>2026-01-02T00:00:00Z</published><author><name>Ann</name></author><summary>Short</summary>`,
      'xml:lang="de"',
    );
    expect(markdown.split(/\n+/)).toEqual([
      ...['# Feed', '## [A \\<b> tag](https://site.test/e)', '2026-01-02T00:00:00Z · Ann', 'Short'],
      '<https://site.test/a.zip>',
    ]);
    expect(metadata.language).toBe('de');
  });

  it.each([
    ['plain', '<content>1 &lt; 2\n\nNext</content>', '1 < 2\n\nNext'],
    ['HTML', '<content type="html">&lt;p&gt;One &lt;i&gt;two&lt;/i&gt;</content>', 'One *two*'],
    [
      'XHTML',
      '<content type="xhtml" xml:base="sub/"><div xmlns="http://www.w3.org/1999/xhtml"><p>One <a href="k">two</a></p><script/><entry>in</entry></div></content>',
      'One [two](https://other.test/x/sub/k)\n\nin',
    ],
    ['data', '<content type="image/png">AAAA</content><summary>Short</summary>', ''],
  ])('has texts that are %s', (_name, content, expected) => {
    const { markdown } = atom(`<title>T</title>${content}`, 'xml:base="https://other.test/x/"');
    expect(markdown.replace(/^# Feed\n\n## T\n*/, '')).toBe(expected);
  });

  it('can use a prefix for all names', () => {
    const feed =
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>T</a:title></a:entry></a:feed>';
    expect(listAt(feed).markdown).toBe('## T');
  });
});

describe('a sitemap', () => {
  it('is rendered as the URLs of its pages with their modification dates', () => {
    const sitemap = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:news="n">
      <url><loc>https://site.test/a?x=1&amp;y=2</loc><lastmod>2026-01-02</lastmod><image:image><image:loc>https://site.test/i.png</image:loc></image:image></url>
      <url><loc> https://site.test/b </loc><news:news><news:title>B now</news:title></news:news></url><url/></urlset>`;
    const { markdown, links } = listAt(sitemap, 'https://site.test/sitemap.xml');
    expect(markdown).toBe('- <https://site.test/a?x=1&y=2> 2026-01-02\n- [B now](https://site.test/b)');
    expect(links).toEqual(['https://site.test/a?x=1&y=2', 'https://site.test/b']);
  });

  it('can list other sitemaps', () => {
    const index = '<sitemapindex><sitemap><loc>https://site.test/1.xml</loc></sitemap></sitemapindex>';
    expect(listAt(index).links).toEqual(['https://site.test/1.xml']);
  });
});

describe('a text', () => {
  it.each(['a text about <rss> feeds', '<svg><rss/></svg>', '<?xml version="1.0"?><note>Rain</note>', ''])(
    'that is no list stays as it is: %s',
    (text) => {
      const { markdown, links } = listAt(text);
      expect([markdown, links]).toEqual([text, []]);
    },
  );

  it.each([
    ['a feed that breaks off', '<rss><channel><item><title>One</title></item><item><tit', '## One'],
    ['a feed without entries', '<rss><channel><title>Empty</title></channel></rss>', '# Empty'],
    ['a feed that is nested without end', `<rss>${'<a>'.repeat(50_000)}<item><title>x`, ''],
  ])('is read as far as it goes: %s', (_name, text, expected) => {
    expect(listAt(text).markdown).toBe(expected);
  });
});

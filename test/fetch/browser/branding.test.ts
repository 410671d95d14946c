import { Firecrawl } from 'firecrawl';
import { describe, expect, it } from 'vitest';
import { branding as format } from '../../../src/content/formats/branding.ts';
import { scrape } from '../../support/api/call.ts';
import { useService } from '../../support/service/use-service.ts';
import { BRANDS, type Brand } from '../../support/sites/brands.ts';
import { startPages } from '../../support/sites/pages.ts';

/** The brand of made-up sites, as whoever made them had it in mind. */

const service = useService();

const FORMATS = ['branding'];

async function brandingOf(
  { html, files = {} }: Pick<Brand, 'html' | 'files'>,
  options: Record<string, unknown> = {},
) {
  const site = await startPages({ '/': html, ...files });
  try {
    const { body } = await scrape({ url: `${site.url}/`, formats: FORMATS, ...options });
    expect(body, JSON.stringify(body)).toMatchObject({ success: true });
    // The origin is another one each time.
    return JSON.parse(JSON.stringify(body.data).replaceAll(site.url, '{origin}'));
  } finally {
    await site[Symbol.asyncDispose]();
  }
}

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], value);

describe.concurrent('the branding of a site', () => {
  it.each(Object.entries(BRANDS))('is found on the page %s', async (_name, brand) => {
    const { branding } = await brandingOf(brand);
    expect(branding).toMatchObject(brand.truth);
    expect(branding).toEqual(format.value.parse(branding));
    for (const path of brand.absent ?? []) expect(at(branding, path), path).toBeUndefined();
  });

  it('has an inline SVG logo in its colours and without scripts', async () => {
    const { branding } = await brandingOf(BRANDS.dark!);
    const drawing = decodeURIComponent(branding.logo.replace(/^data:image\/svg\+xml,/, ''));
    expect(drawing).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]* viewBox="0 0 12 3"/);
    expect(drawing).toContain('fill="rgb(34, 211, 238)"');
    expect(drawing).not.toMatch(/script|onclick|class/);
    expect(branding.images.logo).toBe(branding.logo);
  });

  it('has a logo from a shadow tree with the elements that it refers to', async () => {
    const { branding } = await brandingOf(BRANDS.built!);
    expect(decodeURIComponent(branding.logo)).toMatch(
      /<use [^>]*fill="rgb\(192, 38, 211\)".*<symbol id="mark".*<circle/,
    );
  });

  it('has the colours of the page, not those of a notice, a frame, or what is not displayed', async () => {
    const html = `<style>body { margin: 0; color: #222 } button { border: 0; padding: 9px 18px; color: #fff; background: #00f }
        .cookie-bar { position: fixed; bottom: 0; width: 100% } .cookie-bar button { background: #00a650; padding: 30px 90px }
        .menu { display: none } .menu button { background: #f0f }</style>
      <h1>Shop</h1><p>Things</p><button>Buy</button><div class="menu"><button>Hidden</button></div>
      <iframe srcdoc="<body style='background:#f00'><button style='background:#ff0'>Framed" width="900" height="600"></iframe>
      <div class="cookie-bar">We use cookies <button>Fine</button></div>`;
    const { branding } = await brandingOf({ html }, { blockAds: false });
    expect(branding.colors).toEqual({ primary: '#0000ff', background: '#ffffff', textPrimary: '#222222' });
    expect(branding.components).toEqual({
      buttonPrimary: { background: '#0000ff', textColor: '#ffffff', borderRadius: '0px' },
    });
  });

  it('has the spacing, the grid, the icons and the transitions of the page', async () => {
    const icon =
      '<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="#7c3aed"><path d="M4 12h16"/></svg>';
    const flag =
      '<svg width="24" height="24"><rect fill="#f00" width="9" height="9"/><rect fill="#0f0" width="5" height="5"/></svg>';
    const card = `<div class="card">${icon}<h2>Rain</h2><p>How much of it falls here.</p></div>`;
    const html = `<style>* { margin: 0 } header { height: 64px } footer { height: 120px } section { padding: 48px 32px }
        .wide { max-width: 1120px } .cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px }
        .card { padding: 20px; border: 1px solid #ddd } h1, h2 { margin-bottom: 12px } p { margin-bottom: 18px }
        button { padding: 10px 22px; border: 0; background: #7c3aed; color: #fff; transition: background-color .2s cubic-bezier(0.4, 0, 0.2, 1), color 1s ease }
        .moved { transition: opacity 5s linear } input { padding: 6px 9px; border: 1px solid #ddd }</style>
      <header>Site</header><section class="wide"><h1>Weather</h1><p>Measured since long ago.</p>
        <div class="cards">${card.repeat(6)}</div><button>Go</button> <button>Stop</button> <b class="moved">Late</b><input>${flag}</section>
      <footer>Imprint</footer>`;
    const { branding } = await brandingOf({ html });
    expect(branding).toMatchObject({
      spacing: {
        padding: {
          buttonVertical: 10,
          buttonHorizontal: 22,
          inputVertical: 6,
          inputHorizontal: 9,
          cardVertical: 20,
          cardHorizontal: 20,
          sectionVertical: 48,
          sectionHorizontal: 32,
        },
        margins: { heading: 12, paragraph: 18 },
      },
      layout: { grid: { columns: 3, maxWidth: '1120px' }, headerHeight: '64px', footerHeight: '120px' },
      animations: { transitionDuration: '0.2s', easing: 'cubic-bezier(0.4, 0, 0.2, 1)' },
      icons: { style: 'outline', primaryColor: '#7c3aed' },
    });
    expect(branding).toEqual(format.value.parse(branding));
  });

  it('says in the warning which fields could not be determined', async () => {
    const data = await brandingOf({ html: '<title>Bare</title><p>Words alone, and few of them.</p>' });
    for (const absent of ['icons', 'animations', 'layout', 'colors.accent', 'spacing.padding', 'logo'])
      expect([absent, at(data.branding, absent), data.warning]).toEqual([
        ...[absent, undefined, expect.stringMatching(new RegExp(`[ ,]${absent.replace('.', '\\.')}[,.]`))],
      ]);
    expect(data.warning).not.toMatch(/textPrimary|spacing\.margins/);
    expect(data.warning).toContain('branding has no personality');
  });

  it('is determined from the beginning of an endless page', async () => {
    const html = `<body style="margin: 0; background: #101820; color: #f2aa4c"><h1>First</h1><p>Words</p><script>
      document.body.insertAdjacentHTML('beforeend', '<div>x</div>'.repeat(40_000) +
        '<button style="border: 0; padding: 9px 18px; background: #0f0">Last</button>')</script>`;
    const { branding } = await brandingOf({ html });
    expect(branding).toMatchObject({
      colorScheme: 'dark',
      colors: { primary: '#f2aa4c', background: '#101820' },
    });
    expect(branding.components).toEqual({});
  });
});

describe('a branding', () => {
  it('costs nothing extra, and is neither read from the cache nor written to it', async () => {
    await using site = await startPages({ '/': '<body style="background: #123456; color: #fff">Blue' });
    const url = `${site.url}/`;
    const metadataOf = async (options: object) => (await scrape({ url, ...options })).body.data;
    expect((await metadataOf({ waitFor: 1 })).metadata.cacheState).toBe('miss');
    const branded = await metadataOf({ waitFor: 1, formats: ['branding', 'markdown'] });
    expect(branded).toMatchObject({
      branding: { colorScheme: 'dark', colors: { background: '#123456' } },
      markdown: 'Blue',
      metadata: { creditsUsed: 1 },
    });
    expect(branded.metadata).not.toHaveProperty('cacheState');
    expect((await metadataOf({ waitFor: 1 })).metadata.cacheState).toBe('hit');
    expect(site.requests.filter(({ path }) => path === '/')).toHaveLength(2);
    expect((await metadataOf({ formats: ['markdown'] })).metadata.cacheState).toBe('miss');
  });

  it('is replaced by a warning when there is no page', async () => {
    const answering = (headers: Record<string, string>, body: string) =>
      startPages({ '/': (_request, response) => response.writeHead(200, headers).end(body) });
    await using json = await answering({ 'Content-Type': 'application/json' }, '{"a": 1}');
    const shown = (await scrape({ url: json.url, formats: ['branding', 'markdown'] })).body.data;
    expect(shown.markdown).toContain('"a": 1');
    expect(shown.warning).toBe('branding was left out, because the response is not an HTML page.');
    expect(shown).not.toHaveProperty('branding');
    await using csv = await answering(
      { 'Content-Type': 'text/csv', 'Content-Disposition': 'attachment' },
      'a,b',
    );
    const file = (await scrape({ url: csv.url, formats: ['branding', 'markdown'] })).body.data;
    expect(file.markdown).toContain('| a | b |');
    expect(file.warning).toMatch(/is a file to download: there is no branding of it/);
    expect(file).not.toHaveProperty('branding');
  });

  it('has the types that the official SDK declares', async () => {
    const { html, files = {} } = BRANDS.corporate!;
    await using site = await startPages({ '/': html, ...files });
    const { url, key } = service;
    const client = new Firecrawl({ apiKey: key, apiUrl: url });
    const { branding } = await client.scrape(`${site.url}/`, { formats: ['branding'] });
    expect(branding?.colors?.primary).toBe('#0b5fff');
    expect(branding?.fonts?.[0]?.family).toBe('Source Sans 3');
    expect(branding?.images?.logo).toBe(`${site.url}/logo.svg`);
  });
});

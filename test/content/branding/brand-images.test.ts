import { describe, expect, it } from 'vitest';
import { selectImages } from '../../../src/content/branding/brand-images.ts';
import type { DeclaredIcon, LogoCandidate, Styles } from '../../../src/content/branding/branding-data.ts';
import { findOrganization } from '../../../src/content/branding/organization.ts';
import { analyzeSpacing } from '../../../src/content/branding/spacing.ts';
import { parseJsonLd } from '../../../src/content/html/structured-data/json-ld.ts';

const PAGE = 'https://site.test/en/about';
const facts = { pageUrl: PAGE, organizationLogo: undefined, ogImage: undefined };
const mark = (src: string, changes: Partial<LogoCandidate> = {}): LogoCandidate => ({
  kind: 'image',
  src,
  name: '',
  hints: '',
  region: 'content',
  href: '',
  top: 20,
  width: 120,
  height: 40,
  colors: [],
  ...changes,
});
const logoOf = (...marks: LogoCandidate[]) => selectImages(marks, [], facts).logo;
const icon = (href: string, changes: Partial<DeclaredIcon> = {}): DeclaredIcon => ({
  href,
  rel: 'icon',
  sizes: '',
  type: '',
  ...changes,
});
const iconOf = (...icons: DeclaredIcon[]) => selectImages([], icons, facts).favicon;

describe('the logo', () => {
  const home = { region: 'header', href: 'https://site.test/' } as const;

  it('is the image in the header that links to the home page', () => {
    const others = [
      mark('hero', { width: 700, height: 390 }),
      mark('menu', { region: 'header', hints: 'menu-icon' }),
    ];
    expect(logoOf(...others, mark('it', home))).toBe('it');
    expect(logoOf(...others, mark('it', { ...home, href: 'https://site.test/en/' }))).toBe('it');
    expect(logoOf(...others)).toBeUndefined();
  });

  it('is preferred in the header over images of the footer, of partners and of languages', () => {
    const foot = mark('foot', { region: 'footer', href: home.href, hints: 'logo', top: 4_000 });
    const partner = mark('partner', { hints: 'logo', href: 'https://partner.test/', top: 900 });
    const flag = mark('flag', { ...home, hints: 'flag', width: 16 });
    expect(logoOf(foot, partner, flag, mark('it', { ...home, hints: 'site-logo' }))).toBe('it');
    expect(logoOf(foot, partner)).toBe('foot');
    expect(logoOf(partner)).toBeUndefined();
  });

  it('comes from structured data where the page shows none', () => {
    expect(selectImages([], [], { ...facts, organizationLogo: '/logo.png' }).logo).toBe(
      'https://site.test/logo.png',
    );
  });
});

describe('the favicon', () => {
  it('is an SVG, otherwise the largest bitmap', () => {
    const icons = [
      icon('/a.ico'),
      icon('/b.png', { sizes: '32x32 96x96' }),
      icon('/c.png', { rel: 'apple-touch-icon' }),
    ];
    expect(iconOf(...icons)).toBe('https://site.test/c.png');
    expect(iconOf(...icons, icon('/d.png', { sizes: '192x192' }))).toBe('https://site.test/d.png');
    expect(iconOf(...icons, icon('/d.png', { sizes: '512x512' }), icon('/e.svg'))).toBe(
      'https://site.test/e.svg',
    );
    expect(iconOf(icon('/a.ico', { sizes: 'any' }))).toBe('https://site.test/a.ico');
    expect(iconOf()).toBeUndefined();
  });
});

const organizationIn = (...blocks: string[]) => findOrganization(parseJsonLd(blocks));

describe('the organisation', () => {
  it('is found at any depth, the least nested one first', () => {
    const inner = { '@type': 'Organization', name: 'Inner' };
    const outer = { '@type': ['LocalBusiness', 'Thing'], name: 'Outer', logo: ['https://a.test/l.png'] };
    expect(
      organizationIn(JSON.stringify({ '@graph': [{ '@type': 'Article', publisher: inner }, outer] })),
    ).toEqual({
      name: 'Outer',
      logo: 'https://a.test/l.png',
    });
    expect(organizationIn(JSON.stringify({ '@type': 'Article', publisher: inner }))).toEqual({
      name: 'Inner',
    });
  });

  it('is not found in broken or unrelated data', () => {
    expect(organizationIn('{', 'null', '"text"', '[[[1]]]', '{"@type": "Organization"}')).toEqual({});
    expect(organizationIn(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)).toEqual({});
  });
});

describe('spacing', () => {
  const spacing = (spaces: [number, number][], radii: [string, number][] = []) =>
    analyzeSpacing({ spaces, radii, paddings: [], margins: [] } as unknown as Styles, []);

  it('has a base unit only where most lengths are multiples of it', () => {
    expect(
      spacing([
        [8, 3],
        [16, 9],
        [24, 2],
        [5, 1],
      ]).baseUnit,
    ).toBe(8);
    expect(
      spacing([
        [4, 5],
        [12, 9],
        [20, 2],
      ]).baseUnit,
    ).toBe(4);
    expect(
      spacing([
        [10, 5],
        [30, 9],
        [20, 2],
      ]).baseUnit,
    ).toBe(10);
    expect(
      spacing([
        [7, 5],
        [13, 9],
        [8, 2],
      ]).baseUnit,
    ).toBeUndefined();
    expect(spacing([[8, 2]]).baseUnit).toBeUndefined();
  });

  it('has the corner radius of most boxes', () => {
    expect(
      spacing(
        [],
        [
          ['50%', 2],
          ['8px', 5],
        ],
      ).borderRadius,
    ).toBe('8px');
    expect(spacing([]).borderRadius).toBeUndefined();
  });
});

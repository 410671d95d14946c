import { describe, expect, it } from 'vitest';
import { imagesOf } from '../../src/branding/images.ts';
import { organizationOf } from '../../src/branding/organization.ts';
import { spacingOf } from '../../src/branding/spacing.ts';
import type { Icon, Mark, Styles } from '../../src/branding/survey.ts';
import { parseJsonLd } from '../../src/html/json-ld.ts';

const PAGE = 'https://site.test/en/about';
const facts = { pageUrl: PAGE, organizationLogo: undefined, ogImage: undefined };
const mark = (src: string, changes: Partial<Mark> = {}): Mark => ({
  ...{
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
  },
  ...changes,
});
const logoOf = (...marks: Mark[]) => imagesOf(marks, [], facts).logo;
const icon = (href: string, changes: Partial<Icon> = {}): Icon => ({
  ...{ href, rel: 'icon', sizes: '', type: '' },
  ...changes,
});
const iconOf = (...icons: Icon[]) => imagesOf([], icons, facts).favicon;

describe('the logo', () => {
  const home = { region: 'header', href: 'https://site.test/' } as const;

  it('leads home from the head of the page', () => {
    const others = [
      mark('hero', { width: 700, height: 390 }),
      mark('menu', { region: 'header', hints: 'menu-icon' }),
    ];
    expect(logoOf(...others, mark('it', home))).toBe('it');
    expect(logoOf(...others, mark('it', { ...home, href: 'https://site.test/en/' }))).toBe('it');
    expect(logoOf(...others)).toBeUndefined();
  });

  it('is the one in the head, not that of the foot, of a partner, or of a language', () => {
    const foot = mark('foot', { region: 'footer', href: home.href, hints: 'logo', top: 4_000 });
    const partner = mark('partner', { hints: 'logo', href: 'https://partner.test/', top: 900 });
    const flag = mark('flag', { ...home, hints: 'flag', width: 16 });
    expect(logoOf(foot, partner, flag, mark('it', { ...home, hints: 'site-logo' }))).toBe('it');
    expect(logoOf(foot, partner)).toBe('foot');
    expect(logoOf(partner)).toBeUndefined();
  });

  it('may be known to structured data alone', () => {
    expect(imagesOf([], [], { ...facts, organizationLogo: '/logo.png' }).logo).toBe(
      'https://site.test/logo.png',
    );
  });
});

describe('the icon', () => {
  it('is a drawing, else the largest picture', () => {
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

const organizationIn = (...blocks: string[]) => organizationOf(parseJsonLd(blocks));

describe('the organisation', () => {
  it('is found wherever it stands, the outermost first', () => {
    const inner = { '@type': 'Organization', name: 'Inner' };
    const outer = { '@type': ['LocalBusiness', 'Thing'], name: 'Outer', logo: ['https://a.test/l.png'] };
    expect(
      organizationIn(JSON.stringify({ '@graph': [{ '@type': 'Article', publisher: inner }, outer] })),
    ).toEqual({
      ...{ name: 'Outer', logo: 'https://a.test/l.png' },
    });
    expect(organizationIn(JSON.stringify({ '@type': 'Article', publisher: inner }))).toEqual({
      name: 'Inner',
    });
  });

  it('is nobody in what is broken, or of other things', () => {
    expect(organizationIn('{', 'null', '"text"', '[[[1]]]', '{"@type": "Organization"}')).toEqual({});
    expect(organizationIn(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)).toEqual({});
  });
});

describe('the measure', () => {
  const spacing = (spaces: [number, number][], radii: [string, number][] = []) =>
    spacingOf({ spaces, radii } as Styles, []);

  it('goes into most lengths, or there is none', () => {
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

  it('has the radius of most boxes', () => {
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

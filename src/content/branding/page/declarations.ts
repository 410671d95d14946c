import { pageFunction } from '../../open-page/page-function.ts';
import { Declarations, type DeclaredIcon } from '../branding-data.ts';

/** Limits for reading declarations. Texts that are longer are left out. */
export interface DeclarationLimits {
  variables: number;
  icons: number;
  /** Time limit for fetching the manifest, in milliseconds. */
  manifestMs: number;
  /** The longest URL of an icon, in characters. */
  urlLength: number;
}

/** Runs in the page: collects icons, theme colour and custom properties that name brand colours. */
export const collectDeclarations = pageFunction(
  Declarations,
  async (limits: DeclarationLimits, dom): Promise<Declarations> => {
    const MAX_LENGTH = 100;
    const baseUrl = dom.baseUrl(dom.document());
    const ROLE = /primary|brand|accent|secondary|success|warning|danger|error|destructive/i;

    const variables: [string, string][] = [];
    const root = dom.root();
    // The map is iterable, which its type does not say.
    const properties = (root ? dom.styleMap(root) : []) as unknown as Iterable<[string, unknown[]]>;
    for (const [name, values] of properties) {
      if (variables.length >= limits.variables) break;
      if (name.startsWith('--') && name.length <= MAX_LENGTH && ROLE.test(name))
        variables.push([name.slice(2), String(values[0]).trim().slice(0, MAX_LENGTH)]);
    }

    const icons: DeclaredIcon[] = [];
    const addIcon = (url: string, base: string, { rel, sizes, type }: Omit<DeclaredIcon, 'href'>) => {
      const href = URL.parse(url, base)?.href ?? '';
      const isUsual =
        href.length <= limits.urlLength && [rel, sizes, type].every((each) => each.length <= MAX_LENGTH);
      if (isUsual && icons.length < limits.icons) icons.push({ href, rel, sizes, type });
    };
    for (const link of dom.findAll('link[rel~="icon" i], link[rel^="apple-touch-icon" i]')) {
      if (icons.length >= limits.icons) break;
      const attribute = (name: string) => dom.attribute(link, name) ?? '';
      const [href, media] = [attribute('href'), attribute('media')];
      const described = {
        rel: attribute('rel').toLowerCase(),
        sizes: attribute('sizes'),
        type: attribute('type'),
      };
      if (href && (!media || matchMedia(media).matches)) addIcon(href, baseUrl, described);
    }
    const manifest = dom.find('link[rel~="manifest" i][href]');
    if (!icons.length && manifest) {
      try {
        const url = URL.parse(dom.attribute(manifest, 'href') ?? '', baseUrl)?.href ?? '';
        const response = await fetch(url, { signal: AbortSignal.timeout(limits.manifestMs) });
        const { icons: listed = [] } = (await response.json()) as { icons?: Record<string, unknown>[] };
        for (const { src, sizes = '', type = '' } of listed.slice(0, limits.icons))
          addIcon(String(src), url, { rel: 'manifest', sizes: String(sizes), type: String(type) });
      } catch {
        // The manifest is optional: one that cannot be fetched or parsed contributes no icons.
      }
    }

    const themes = [...dom.findAll('meta[name="theme-color" i]')];
    const theme = themes.find((each) => {
      const media = dom.attribute(each, 'media');
      return !media || matchMedia(media).matches;
    });
    return {
      variables,
      icons,
      themeColor: ((theme && dom.attribute(theme, 'content')) ?? '').slice(0, MAX_LENGTH),
    };
  },
);

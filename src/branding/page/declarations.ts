import type { Declarations, Icon } from '../survey.ts';

/** How much is read at most. */
export interface DeclarationBounds {
  variables: number;
  icons: number;
  /** How long a manifest may take to come. */
  manifestMs: number;
}

/** Runs in the page: what it declares about itself in its head and in custom properties. */
export async function surveyDeclarations(bounds: DeclarationBounds): Promise<Declarations> {
  const absolute = (address: string, base = document.baseURI) => URL.parse(address, base)?.href ?? '';
  const ROLE = /primary|brand|accent|secondary|success|warning|danger|error|destructive/i;

  const variables: [string, string][] = [];
  const properties = document.documentElement.computedStyleMap() as unknown as Iterable<[string, unknown[]]>;
  for (const [name, values] of properties) {
    if (variables.length >= bounds.variables) break;
    if (name.startsWith('--') && ROLE.test(name))
      variables.push([name.slice(2), String(values[0]).trim().slice(0, 100)]);
  }

  const icons: Icon[] = [];
  for (const link of document.querySelectorAll<HTMLLinkElement>(
    'link[rel~="icon" i], link[rel^="apple-touch-icon" i]',
  )) {
    if (icons.length >= bounds.icons) break;
    const { media, rel, type } = link;
    const href = link.getAttribute('href');
    if (href && (!media || matchMedia(media).matches))
      icons.push({ href: absolute(href), rel: rel.toLowerCase(), sizes: link.sizes.value, type });
  }
  const manifest = document.querySelector<HTMLLinkElement>('link[rel~="manifest" i][href]');
  if (!icons.length && manifest) {
    try {
      const answer = await fetch(manifest.href, { signal: AbortSignal.timeout(bounds.manifestMs) });
      const { icons: listed = [] } = (await answer.json()) as { icons?: Record<string, unknown>[] };
      for (const { src, sizes = '', type = '' } of listed.slice(0, bounds.icons))
        icons.push({
          href: absolute(String(src), manifest.href),
          rel: 'manifest',
          sizes: String(sizes),
          type: String(type),
        });
    } catch {
      // A manifest that cannot be had, or is none, has no icons.
    }
  }

  const themes = [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color" i]')];
  const theme = themes.find(({ media }) => !media || matchMedia(media).matches);
  return { variables, icons, themeColor: theme?.content.slice(0, 100) ?? '' };
}

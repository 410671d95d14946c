import type { Declarations, DeclaredIcon } from '../branding-data.ts';

/** Limits for reading declarations. */
export interface DeclarationLimits {
  variables: number;
  icons: number;
  /** Time limit for fetching the manifest, in milliseconds. */
  manifestMs: number;
}

/** Runs in the page: collects icons, theme colour and custom properties that name brand colours. */
export async function collectDeclarations(limits: DeclarationLimits): Promise<Declarations> {
  const absolute = (url: string, base = document.baseURI) => URL.parse(url, base)?.href ?? '';
  const ROLE = /primary|brand|accent|secondary|success|warning|danger|error|destructive/i;

  const variables: [string, string][] = [];
  const properties = document.documentElement.computedStyleMap() as unknown as Iterable<[string, unknown[]]>;
  for (const [name, values] of properties) {
    if (variables.length >= limits.variables) break;
    if (name.startsWith('--') && ROLE.test(name))
      variables.push([name.slice(2), String(values[0]).trim().slice(0, 100)]);
  }

  const icons: DeclaredIcon[] = [];
  for (const link of document.querySelectorAll<HTMLLinkElement>(
    'link[rel~="icon" i], link[rel^="apple-touch-icon" i]',
  )) {
    if (icons.length >= limits.icons) break;
    const { media, rel, type } = link;
    const href = link.getAttribute('href');
    if (href && (!media || matchMedia(media).matches))
      icons.push({ href: absolute(href), rel: rel.toLowerCase(), sizes: link.sizes.value, type });
  }
  const manifest = document.querySelector<HTMLLinkElement>('link[rel~="manifest" i][href]');
  if (!icons.length && manifest) {
    try {
      const response = await fetch(manifest.href, { signal: AbortSignal.timeout(limits.manifestMs) });
      const { icons: listed = [] } = (await response.json()) as { icons?: Record<string, unknown>[] };
      for (const { src, sizes = '', type = '' } of listed.slice(0, limits.icons))
        icons.push({
          href: absolute(String(src), manifest.href),
          rel: 'manifest',
          sizes: String(sizes),
          type: String(type),
        });
    } catch {
      // The manifest is optional: one that cannot be fetched or parsed contributes no icons.
    }
  }

  const themes = [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color" i]')];
  const theme = themes.find(({ media }) => !media || matchMedia(media).matches);
  return { variables, icons, themeColor: theme?.content.slice(0, 100) ?? '' };
}

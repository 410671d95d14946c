import { gfm } from '@truto/turndown-plugin-gfm';
import TurndownService from 'turndown';

const PLACEHOLDER = '<Base64-Image-Removed>';

function createConverter(removeBase64Images: boolean): TurndownService {
  const converter = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  converter.use(gfm);
  converter.addRule('link', {
    filter: (node) => node.nodeName === 'A' && Boolean(node.getAttribute('href')),
    replacement(content, node) {
      const text = content.trim();
      // A filter for elements hands elements on.
      const element = node as HTMLElement;
      if (/^skip to (main )?content$/i.test(element.textContent?.trim() ?? '')) return '';
      const title = element
        .getAttribute('title')
        ?.replace(/"/g, '\\"')
        .replace(/\s*\n\s*/g, ' ');
      const address = element.getAttribute('href')!.replace(/[()]/g, '\\$&').replace(/\s/g, '%20');
      return text ? `[${text.replace(/\n+/g, '\\\n')}](${address}${title ? ` "${title}"` : ''})` : '';
    },
  });
  if (removeBase64Images) {
    converter.addRule('base64Image', {
      filter: (node) => node.nodeName === 'IMG' && /^\s*data:/i.test(node.getAttribute('src') ?? ''),
      replacement: (_content, node) =>
        `![${(node as HTMLElement).getAttribute('alt') ?? ''}](${PLACEHOLDER})`,
    });
  }
  return converter;
}

const converters = { keep: createConverter(false), remove: createConverter(true) };

/** GitHub-flavoured markdown of an HTML fragment. */
export function toMarkdown(html: string, options: { removeBase64Images: boolean }): string {
  const converter = options.removeBase64Images ? converters.remove : converters.keep;
  return converter.turndown(html).trim();
}

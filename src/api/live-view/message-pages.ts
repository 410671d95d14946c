import { createHash } from 'node:crypto';
import { SESSION_END_SENTENCES, type SessionEndReason } from '../../schemas/session-end.ts';
import { liveViewHeaders } from './live-view-page.ts';

const STYLE = `:root{color-scheme:light dark;--text:light-dark(#17211f,#e4eae8);--soft:light-dark(#56635f,#9fafaa)}
body{display:grid;place-content:center;min-height:100vh;margin:0;padding:1.5rem;box-sizing:border-box;background:light-dark(#f6f7f7,#111514);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:32rem;padding:2rem;border:1px solid light-dark(#d9dfdd,#2d3634);border-radius:.75rem;background:light-dark(#fff,#191e1d)}
svg{width:2.5rem;height:2.5rem;fill:none;stroke:light-dark(#0f766e,#2dd4bf);stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
h1{margin:.5rem 0;font-size:1.375rem}p{margin:.5rem 0 0;color:var(--soft);overflow-wrap:anywhere}p:first-of-type{color:var(--text)}`;

/** The headers of the pages of this file. */
export const MESSAGE_PAGE_HEADERS = liveViewHeaders(
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:`,
);

/**
 * The page at the URL of a live view whose session has ended, for status 410 and {@link MESSAGE_PAGE_HEADERS}.
 * @param reason why it ended, if that is known
 */
export const renderSessionEndedPage = (reason?: SessionEndReason): string =>
  renderMessage('The session has ended', [
    reason ? SESSION_END_SENTENCES[reason] : 'It is no longer available.',
    'A session that has ended cannot be opened again. Create a new one.',
  ]);

/** The page at a URL of a live view that is wrong, for status 404 and {@link MESSAGE_PAGE_HEADERS}. */
export const renderNoSessionPage = (): string =>
  renderMessage('There is no live view here', [
    'The URL is not complete, or it is one of another service.',
    'Use liveViewUrl or interactiveLiveViewUrl of the session as it is, with all characters at its end.',
  ]);

const renderMessage = (title: string, paragraphs: string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 4.5h14v11H3zM3 7.5h14M5.5 6h.1M7.5 6h.1M8 10l4 3.5M12 10l-4 3.5"/></svg>
<h1>${title}</h1>
${paragraphs.map((text) => `<p>${text}</p>`).join('\n')}
</main>
</body>
</html>
`;

import { escapeHtml } from '../../content/html/parse/escape-html.ts';
import { GUIDES_PATH } from '../../jobs/guides/read-guides.ts';

/** What a page below `/docs` shows. */
export interface DocsPage {
  title: string;
  /** HTML of the service's own texts. */
  body: string;
  /** The link of the header that leads here. */
  current: 'reference' | 'guides';
  /** HTML for the side of the page. Without it, the body has the whole width and landmarks of its own. */
  contents?: string;
  /** What the reader has searched for. */
  query?: string;
}

const LINKS = [
  { href: '/console', title: 'Console' },
  { href: '/docs/', title: 'API', name: 'reference' },
  { href: GUIDES_PATH, title: 'Guides', name: 'guides' },
];

/** Renders a page below `/docs` with the header that all of them have. */
export function renderPage({ title, body, current, contents, query = '' }: DocsPage): string {
  const links = LINKS.map(
    ({ href, title: text, name }) =>
      `<a href="${href}"${name === current ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  const main = contents
    ? `<div class="page"><nav class="contents" aria-label="Guides">${contents}</nav><main id="content">${body}</main></div>`
    : `<div id="content">${body}</div>`;
  return `<!doctype html>
<html lang="en"${current === 'reference' ? ' class="reference"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Winnow</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/colors.css">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/console"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M6 9l5 14 5-12 5 12 5-14"/></svg>Winnow</a>
<nav aria-label="Documentation">${links.join('')}</nav>
<form class="search" role="search" action="/docs/search"><input type="search" name="q" maxlength="100" placeholder="Search guides, API and errors" aria-label="Search guides, API and errors" value="${escapeHtml(query)}"></form>
</header>
${main}
</body>
</html>
`;
}

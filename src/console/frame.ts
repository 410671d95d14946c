import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, adminKey, apiKey, send, setAdminKey, setApiKey } from './api.ts';
import { Icon, type IconName } from './icons.ts';
import { BASE, place } from './router.ts';
import { Shortcuts, showShortcuts } from './shortcuts.ts';
import { SignIn } from './sign-in.ts';
import { switchTheme, theme } from './theme.ts';
import { VIEWS, type ViewComponent, type View as ViewEntry } from './views.ts';

const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const satisfies Record<
  string,
  IconName
>;

/** Whether the service needs a key, and whether it takes the one that the user has given. */
type Access = 'asking' | 'granted' | 'needs-key' | 'unreachable';

/** The frame around all views. Without a key that the service takes, it asks for one. */
export function Frame() {
  const access = useSignal<Access>('asking');
  const refusal = useSignal('');
  const key = apiKey.value;
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      try {
        await send({ path: '/v2/concurrency-check', signal: aborter.signal });
        access.value = 'granted';
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        const isRefused = error.status === 401 || error.status === 403;
        refusal.value = isRefused && !key ? '' : error.message;
        access.value = isRefused ? 'needs-key' : 'unreachable';
        if (!isRefused) timer = setTimeout(ask, 2000);
      }
    };
    void ask();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, [key]);
  // The operator need not have a key of a team.
  if (VIEWS.some(({ isForOperator, path }) => isForOperator && path.test(place.value.path))) {
    return html`
      <${Header} onSignOut=${adminKey.value ? () => setAdminKey('') : undefined} />
      <main id=${VIEW_ID} tabindex="-1"><${View} /></main>
      <${Shortcuts} />`;
  }
  const signOut = access.value === 'granted' && key ? () => setApiKey('') : undefined;
  return html`
    <${Header} onSignOut=${signOut} />
    <main id=${VIEW_ID} tabindex="-1">
      ${access.value === 'granted' && html`<${View} />`}
      ${access.value === 'needs-key' && html`<${SignIn} refusal=${refusal.value} />`}
      ${access.value === 'unreachable' && html`<p class="notice" role="status">${refusal.value}</p>`}
    </main>
    <${Shortcuts} />
  `;
}

function View() {
  const { path } = place.value;
  for (const view of VIEWS) {
    const match = view.path.exec(path);
    if (match) {
      document.title = `${view.title} – Winnow`;
      return html`<${Loaded} key=${view.title} view=${view} parameters=${match.slice(1)} />`;
    }
  }
  document.title = 'Not found – Winnow';
  return html`<div class="empty"><h1>There is nothing here</h1><p>The console has no page ${path}.</p><a href=${BASE}>Open the playground</a></div>`;
}

/** The element that views are in. */
const VIEW_ID = 'view';

/** Whether the view is not the first one of the page. */
let hasShownView = false;

/** The components of views that were loaded. */
const loaded = new Map<ViewEntry, ViewComponent>();
/** How long after a failure a view is loaded again, in milliseconds. */
const RETRY_MS = 2000;

/** A view, once its code is there. */
function Loaded({ view, parameters }: { view: ViewEntry; parameters: (string | undefined)[] }) {
  const component = useSignal(loaded.get(view));
  const isGone = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const load = () =>
      view.load().then(
        (found) => {
          loaded.set(view, found);
          if (isOpen) component.value = found;
        },
        // The browser says nothing but that a file did not come.
        () => {
          if (!isOpen) return;
          isGone.value = true;
          timer = setTimeout(load, RETRY_MS);
        },
      );
    if (!component.value) void load();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, [view]);
  const Component = component.value;
  // Whoever follows a link by the keyboard goes on in the view that it led to, and not at the beginning of the page.
  useEffect(() => {
    if (!Component) return;
    if (hasShownView && document.activeElement === document.body)
      document.getElementById(VIEW_ID)?.focus({ preventScroll: true });
    hasShownView = true;
  }, [Component]);
  if (Component) return html`<${Component} parameters=${parameters} />`;
  return isGone.value
    ? html`<p class="error" role="alert"><b>UNREACHABLE</b> The service does not respond. This page tries again by itself.</p>`
    : html`<p class="waiting" role="status"><span class="spinner" />Loading…</p>`;
}

function Header({ onSignOut }: { onSignOut: (() => void) | undefined }) {
  const { path } = place.value;
  const views = useRef<HTMLElement>(null);
  // On a phone, the links are one line that scrolls.
  useEffect(() => {
    const link = views.current?.querySelector<HTMLElement>('[aria-current]');
    if (views.current && link) views.current.scrollLeft = link.offsetLeft - views.current.clientWidth / 2;
  }, [path]);
  return html`
    <a class="skip" href=${`#${VIEW_ID}`}>Skip to the content</a>
    <header>
      <a class="brand" href=${BASE}><${Mark} />Winnow</a>
      <nav aria-label="Views" ref=${views}>
        ${VIEWS.filter(({ icon }) => icon).map(
          ({ icon, title, href, path: pattern }) => html`
            <a href=${BASE + href} aria-current=${pattern.test(path) || (href && path.startsWith(`${href}/`)) ? 'page' : undefined}>
              <${Icon} name=${icon} />${title}
            </a>`,
        )}
        <a href="/docs"><${Icon} name="docs" />API</a>
        <a href="/docs/guides"><${Icon} name="docs" />Guides</a>
      </nav>
      <div class="tools">
        ${
          onSignOut &&
          html`<button type="button" class="quiet" onClick=${onSignOut} title="Forget the key"><${Icon} name="key" /><span>Sign out</span></button>`
        }
        <button type="button" class="quiet" onClick=${showShortcuts} aria-label="Shortcuts" title="Shortcuts (?)"><${Icon} name="help" /></button>
        <button type="button" class="quiet" onClick=${switchTheme} aria-label=${`Colours: ${theme.value}. Change`} title=${`Colours: ${theme.value}`}>
          <${Icon} name=${THEME_ICONS[theme.value]} />
        </button>
      </div>
    </header>
  `;
}

const Mark = () =>
  html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" /><path d="M6 9l5 14 5-12 5 12 5-14" /></svg>`;

import { signal } from '@preact/signals';

/** The path below which all views are. */
export const BASE = '/console';

/** Where the user is: the path below {@link BASE}, and the query of the URL. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

const readPlace = (): Place => ({
  path: location.pathname.slice(BASE.length) || '/',
  query: new URLSearchParams(location.search),
});

/** Where the user is. The back button and links change it. */
export const place = signal(readPlace());
addEventListener('popstate', () => {
  const { path, query } = readPlace();
  // A link within the view leads to no other place.
  if (path === place.value.path && query.toString() === place.value.query.toString()) return;
  place.value = { path, query };
});

/** Goes to a view. @param options.replaces whether the back button skips the place that is left */
export function goTo(path: string, { replaces = false }: { replaces?: boolean } = {}): void {
  const url = BASE + (path === '/' ? '' : path);
  if (replaces) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  place.value = readPlace();
  if (!replaces) scrollTo(0, 0);
}

/** Changes the query of the URL, which a link to the view then has. Empty values are left out. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  goTo(place.value.path + (text && `?${text}`), { replaces: true });
}

// Links to views change the view without loading the page again, unless the user wants them elsewhere.
addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a');
  if (!link || link.target || link.origin !== location.origin) return;
  if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
  // A link within the view is for the browser.
  if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  goTo(link.pathname.slice(BASE.length) + link.search);
});

import { type Pages, startPages } from './pages.ts';

/** Markup of a page with this body. */
export const loginPage = (body: string) =>
  `<!doctype html><html><head><title>Test</title></head><body><main>${body}</main></body></html>`;

/**
 * Keeps a request open until the script calls `finish`, so that the browser does not take the page for
 * complete while a busy machine opens the database.
 */
const WORK = `
  const work = Math.random();
  void fetch('/work?' + work).catch(() => undefined);
  const finish = () => void fetch('/finish?' + work);`;

/** Everything that a login can leave in a browser. */
const LOG_IN = `${WORK}
  document.cookie = 'script=by-script; max-age=3600';
  localStorage.setItem('token', 'in-local-storage');
  const opening = indexedDB.open('login', 3);
  opening.onupgradeneeded = () => opening.result.createObjectStore('users', { keyPath: 'id' });
  opening.onsuccess = () => {
    const change = opening.result.transaction('users', 'readwrite');
    change.objectStore('users').put({ id: 1, name: 'in-indexed-db', since: new Date(0) });
    change.oncomplete = () => { opening.result.close(); done.textContent = 'Logged in'; finish() };
  };`;

/** Shows all of it. */
const SHOW = `${WORK}
  const found = [document.cookie, localStorage.getItem('token')];
  const show = (value) => { shown.textContent = 'found ' + JSON.stringify([...found, value]); finish() };
  const opening = indexedDB.open('login');
  opening.onsuccess = () => {
    const database = opening.result;
    if (!database.objectStoreNames.length) return show(null);
    const asked = database.transaction('users').objectStore('users').get(1);
    asked.onsuccess = () => show([asked.result.name, asked.result.since.getTime()]);
  };`;

/**
 * The text of `/home` for a browser that has logged in: a cookie, and the data in localStorage and IndexedDB.
 */
export const LOGGED_IN = ['script=by-script', 'in-local-storage', ['in-indexed-db', 0]];
/** The text of `/home` for a browser without a login. */
export const STRANGER = ['', null, null];

/** Options of a scrape that keeps its page open until the site releases it. */
export const HOLD = { actions: [{ type: 'executeJavascript', script: "await fetch('/hold')" }] };

/** A site with a login that leaves its marks everywhere in a browser. */
export interface LoginSite extends Pages {
  /** Resolves when a page asks for `/hold` the next time. */
  nextHold(): Promise<void>;
  /** Answers the last request for `/hold`. */
  release(): void;
}

/** Serves `/login`, `/home`, `/logout`, `/hold`, and further pages by path. */
export async function startLoginSite(further: Parameters<typeof startPages>[0] = {}): Promise<LoginSite> {
  /**
   * Ends each request for `/work`. `/finish` may arrive first, because both requests have connections of
   * their own.
   */
  const work = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (url = '') => {
    const { search } = new URL(url, 'http://site');
    const end = work.get(search) ?? Promise.withResolvers<void>();
    work.set(search, end);
    return end;
  };
  let release = (): void => undefined;
  let onHold = (): void => undefined;
  const site = await startPages({
    '/login': (_request, response) =>
      response
        .writeHead(200, {
          'Content-Type': 'text/html',
          'Set-Cookie': ['session=http-only; HttpOnly; Path=/'],
        })
        .end(loginPage(`<p id="done">Wait</p><script>${LOG_IN}</script>`)),
    '/home': (request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(
        loginPage(
          `<p>${/session=http-only/.test(request.headers.cookie ?? '') ? 'Welcome back' : 'Who are you?'}</p>
             <p id="shown">Wait</p><script>${SHOW}</script>`,
        ),
      ),
    '/logout': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'session=; Max-Age=0; Path=/' })
        .end(loginPage(`<p>Good bye</p><script>localStorage.clear()</script>`)),
    '/work': ({ url }, response) => void endOf(url).promise.then(() => response.end()),
    '/finish': ({ url }, response) => {
      endOf(url).resolve();
      response.end();
    },
    '/hold': (_request, response) => {
      release = () => void response.writeHead(200).end();
      onHold();
    },
    ...further,
  });
  return {
    ...site,
    nextHold: () =>
      new Promise((resolve) => {
        onHold = resolve;
      }),
    release: () => release(),
  };
}

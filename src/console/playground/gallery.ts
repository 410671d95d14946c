import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useRef } from 'preact/hooks';
import { count } from '../elements/format.ts';
import { BASE } from '../router.ts';

/** The page of the service in which pictures of other sites may be loaded; it has no script. */
const FRAME = `${BASE}/pictures`;
/** Pictures that are loaded before the user asks for more. */
const PART = 60;
const SCHEMES = new Set(['http:', 'https:']);

/** The pictures of a page. They are loaded from their sites when the user asks for it. */
export function Gallery({ urls }: { urls: string[] }) {
  const shown = useSignal(0);
  const hosts = new Set(urls.flatMap((url) => hostOf(url) ?? []));
  if (!urls.length) return null;
  if (!shown.value) {
    return html`
      <p class="bar"><button type="button" onClick=${() => {
        shown.value = PART;
      }}>Load the pictures</button>
      <small>from ${hosts.size === 1 ? [...hosts][0] : count(hosts.size, 'host')}, which then know the address of this machine</small></p>`;
  }
  return html`
    <${Pictures} key=${shown.value} urls=${urls.slice(0, shown.value)} />
    ${
      urls.length > shown.value &&
      html`<button type="button" onClick=${() => {
        shown.value += PART;
      }}>Load more of ${count(urls.length, 'picture')}</button>`
    }`;
}

const hostOf = (url: string): string | undefined => {
  const parsed = URL.parse(url);
  return parsed && SCHEMES.has(parsed.protocol) ? parsed.host : undefined;
};

/** The pictures in a page of their own, whose policy lets them in. That of the console does not. */
function Pictures({ urls }: { urls: string[] }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const fill = () => {
    const inner = frame.current?.contentDocument;
    // The page of an error has other contents.
    const list = inner?.querySelector('ul');
    if (inner && list && !list.childElementCount) list.append(...urls.map((url) => entryOf(inner, url)));
  };
  return html`<iframe class="gallery" ref=${frame} src=${FRAME} title="Pictures of the page" onLoad=${fill} />`;
}

/** An element that is made by the inner page, so that its picture is loaded under the policy of that one. */
function entryOf(inner: Document, url: string): HTMLLIElement {
  const entry = inner.createElement('li');
  const picture = inner.createElement('img');
  picture.loading = 'lazy';
  picture.alt = url;
  picture.src = url;
  if (hostOf(url) === undefined) {
    entry.append(picture);
    return entry;
  }
  const link = inner.createElement('a');
  Object.assign(link, { href: url, target: '_blank', rel: 'noopener noreferrer nofollow', title: url });
  link.append(picture);
  entry.append(link);
  return entry;
}

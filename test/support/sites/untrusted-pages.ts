/**
 * Pages that get in the way of the functions that run in them: by the names of their elements, by what their
 * scripts replace, and by their size. Without that, all of them are the same page.
 */

const STONE = 'The stone of the mill turns in the loft, and the miller listens to it all day. '.repeat(5);

/** The page, once its script has run: an article in a form, with a shadow tree, a frame and a notice. */
const CONTENT = `
  <header><a href="/"><img class="logo" alt="The mill" width="80" height="30" src="/logo.svg"></a>
    <a href="/"><svg class="logo" width="90" height="30"><g fill="#00f"><path d="M0 0L90 30Z"/></g></svg></a></header>
  <form id="order" onsubmit="return false">
    <main style="background:#fafafa">
      <h1>Oak flour</h1><p>${STONE}</p>
      <mill-note><p>What the slot shows.</p></mill-note><mill-shed></mill-shed>
      <p class="banner-ad">Buy now</p>
      <iframe src="/frame" width="300" height="200" "odd=1></iframe>
      <table><tr><th>Sack</th><th>Price</th></tr><tr><td>5 kg</td><td>9 euros</td></tr></table>
      <p>Read about <a href="/rye">rye flour</a>, too.</p>
      <p style="margin-top:3000px">The end of the page.</p>
    </main>
    <div hidden id="controls"></div>
  </form>
  <section>
    <button type="button" id="more" style="padding:8px 20px;background:#00f;color:#fff">More</button>
    <p id="said"></p>
    <textarea id="field"></textarea><p id="written"></p><p id="ran"></p>
    <div id="box" style="height:100px;overflow:auto"><div style="height:900px">The tall box</div></div>
  </section>
  <div hidden id="elements"></div>
  <div id="onetrust-banner-sdk" style="position:fixed;bottom:0;height:240px" role="dialog">
    <p>We and our partners store information on your device.</p>
    <button type="button" id="onetrust-reject-all-handler">Reject</button>
  </div>`;

/** A shell, which only the browser can read. */
const shell = (script: string) => `<!doctype html><html><head><title>The mill</title>
  <link rel="icon" href="/icon.png"><meta name="theme-color" content="#00f"></head>
  <body><div id="app"></div><script>
    const [html, names, base] = [${JSON.stringify(CONTENT)}, new Set(), [window, document, document.createElement('form')]];
    for (const each of base)
      for (let owner = each; owner; owner = Object.getPrototypeOf(owner))
        for (const name of Object.getOwnPropertyNames(owner)) names.add(name);
    for (const name of ['winnow', 'winnowAsk', 'winnowAnswer', 'winnowLastChange']) names.add(name);
    document.getElementById('app').outerHTML = html;
    document.querySelector('mill-note').attachShadow({ mode: 'open' }).innerHTML =
      '<section><h2>In the shadow of the oak</h2><slot></slot></section>';
    document.querySelector('mill-shed').attachShadow({ mode: 'closed' }).innerHTML = '<p>Nobody sees the shed.</p>';
    const [more, said, field, written, notice, ran] =
      ['more', 'said', 'field', 'written', 'onetrust-banner-sdk', 'ran'].map((id) => document.getElementById(id));
    const [controls, elements] = ['controls', 'elements'].map((id) => document.getElementById(id));
    // What the page itself needs is kept, before it replaces everything.
    const { getOwnPropertyDescriptor: describe, defineProperty, getOwnPropertyNames } = Object;
    const { apply, ownKeys } = Reflect;
    const setText = describe(HTMLElement.prototype, 'innerText').set;
    const readField = describe(HTMLTextAreaElement.prototype, 'value').get;
    const { setAttribute } = Element.prototype;
    const say = (element, text) => apply(setText, element, [text]);
    more.addEventListener('click', () => say(said, 'The button was clicked.'));
    field.addEventListener('input', () => say(written, apply(readField, field, [])));
    notice.querySelector('button').addEventListener('click', () =>
      apply(setAttribute, notice, ['style', 'display:none']));
    ${script}
    say(ran, 'The script has come to its end.');
  </script></body></html>`;

/** Adds an element for each name, of one kind after the other. */
const addNamed = (parent: string, tags: string[], attribute: string, prefix: string) => `
  const tags = ${JSON.stringify(tags)};
  ${parent}.append(...[...names].map((name, index) => {
    const element = document.createElement(tags[index % tags.length]);
    element.setAttribute('${attribute}', '${prefix}' + name);
    return element;
  }));`;

/** A page with the names of properties, and the same one with others. */
const named = (name: string, ...how: [parent: string, tags: string[], attribute: string]) => ({
  [name]: { hostile: shell(addNamed(...how, '')), plain: shell(addNamed(...how, 'its own ')) },
});
/** Only a few: a page with hundreds of frames takes long to load. */
const addFrames = (prefix: string) => `
  for (const name of ['winnow', 'winnowAsk', 'document', 'body', 'origin', 'performance', 'scrollY', 'getSelection'])
    elements.insertAdjacentHTML('beforeend', '<iframe name="${prefix}' + name + '"></iframe>');`;

/** A page whose script replaces what belongs to the browser, and the same one without the script. */
const replaced = (name: string, code: string) => ({ [name]: { hostile: shell(code), plain: shell('') } });

/** Functions for such scripts, which need nothing that they have replaced. */
const REPLACING = `
  const bad = () => { throw new Error('the page does not allow it') };
  const settable = (fields) => apply(Object.setPrototypeOf, Object, [{ configurable: true, ...fields }, null]);
  const replace = (owner, name, fields) => { try { defineProperty(owner, name, fields) } catch {} };
  const [throwing, failing] = [settable({ get: bad }), settable({ value: bad, writable: true })];
  /** All own properties of an object, but not how the page itself finds its globals. */
  const replaceAll = (owner, isGlobal) => {
    const keys = ownKeys(owner);
    for (let at = 0; at < keys.length; at++) {
      if (keys[at] === 'constructor' || keys[at] === 'prototype') continue;
      const { get, value } = describe(owner, keys[at]);
      if (get || isGlobal) replace(owner, keys[at], throwing);
      else if (typeof value === 'function') replace(owner, keys[at], failing);
    }
  };`;

/** The pages by what is hostile on them, each with the same page without it. */
export const UNTRUSTED_PAGES: Record<string, { hostile: string; plain: string }> = {
  ...named('controls with the names of properties', 'controls', ['input'], 'name'),
  ...named('controls with the ids of properties', 'controls', ['button'], 'id'),
  ...named('elements with the names of properties', 'elements', ['img', 'form', 'embed', 'object'], 'name'),
  'frames with the names of globals': { hostile: shell(addFrames('')), plain: shell(addFrames('its own ')) },
  ...named('elements with the ids of globals', 'elements', ['b'], 'id'),
  ...named('bases with the ids of globals', 'document.head', ['base', 'meta', 'style'], 'id'),
  ...named('elements with the roles of properties', "document.querySelector('main')", ['b'], 'role'),
  ...replaced(
    'methods and getters of every class that throw',
    `${REPLACING}
    const classes = getOwnPropertyNames(globalThis).map((name) => describe(globalThis, name).value)
      .filter((each) => each && /^(object|function)$/.test(typeof each) && each !== globalThis);
    for (let at = 0; at < classes.length; at++) {
      const prototype = describe(classes[at], 'prototype')?.value;
      if (prototype) replaceAll(prototype);
      replaceAll(classes[at]);
    }`,
  ),
  ...replaced('globals that throw', `${REPLACING} replaceAll(globalThis, true);`),
  ...replaced(
    'methods that return something else',
    `const odd = () => new Proxy(() => odd, { get: () => odd });
    document.querySelector = document.querySelectorAll = document.createTreeWalker = odd;
    for (const name of ['Map', 'Set', 'MutationObserver', 'XMLSerializer', 'getComputedStyle', 'performance'])
      Object.defineProperty(globalThis, name, { get: odd });
    Array.prototype.push = Array.prototype.map = Array.prototype.filter = Array.prototype.some = () => 7;
    Element.prototype.getAttribute = Object.prototype.toJSON = Error.prepareStackTrace = odd;
    Promise.prototype.then = JSON.stringify = JSON.parse = odd;
    globalThis.Promise = globalThis.JSON = globalThis.Symbol = odd();
    Array.prototype[Symbol.iterator] = NodeList.prototype[Symbol.iterator] = function* () { for (;;) yield 1; }`,
  ),
  ...replaced(
    'getters of its own',
    `${REPLACING}
    const owners = [document, document.documentElement, document.body, order, document.querySelector('main'),
      document.querySelector('mill-note')];
    const own = [...names];
    for (let at = 0; at < own.length; at++) {
      if (!Object.prototype.hasOwnProperty(own[at])) replace(Object.prototype, own[at], throwing);
      for (let of = 0; of < owners.length; of++) replace(owners[of], own[at], throwing);
    }
    for (const name of ['toJSON', 'then', 'get', 'value', 'writable']) replace(Object.prototype, name, throwing);
    replace(Error, 'prepareStackTrace', throwing);`,
  ),
  ...replaced(
    'frozen objects',
    `for (const owner of [Object.prototype, Array.prototype, Function.prototype, Element.prototype, Document.prototype,
      HTMLFormElement.prototype, document, document.body, order]) try { Object.freeze(owner) } catch {}`,
  ),
  ...replaced(
    'proxies in the place of prototypes',
    `const bait = { get: () => { throw new Error('the page does not allow it') }, has: () => true };
    for (const each of [document, document.body, controls, document.querySelector('main')])
      Object.setPrototypeOf(each, new Proxy(Object.getPrototypeOf(each), bait));
    globalThis.MutationObserver = new Proxy(MutationObserver, bait)`,
  ),
  ...replaced('a promise without end for a cookie notice', 'globalThis.Cookiebot = { then() {} };'),
  ...replaced(
    'a cookie notice that throws',
    `Object.defineProperty(globalThis, 'Cookiebot', { get() { throw new Error('not today') } });`,
  ),
};

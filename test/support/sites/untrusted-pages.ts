/**
 * Pages that get in the way of the functions that run in them: by the names of their elements, by what their
 * scripts replace, and by their size. Without that, all of them are the same page.
 */

const STONE = 'The stone of the mill turns in the loft, and the miller listens to it all day. '.repeat(5);

/** The page, once its script has run: an article in a form, with a shadow tree, a frame and a notice. */
const CONTENT = `
  <header><a href="/"><img class="logo" alt="The mill" width="80" height="30" src="/logo.svg"></a></header>
  <form id="order" onsubmit="return false">
    <main style="background:#fafafa">
      <h1>Oak flour</h1><p>${STONE}</p>
      <mill-note><p>What the slot shows.</p></mill-note>
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
    <textarea id="field"></textarea><p id="written"></p>
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
    const [more, said, field, written, notice] = ['more', 'said', 'field', 'written', 'onetrust-banner-sdk']
      .map((id) => document.getElementById(id));
    const [controls, elements] = ['controls', 'elements'].map((id) => document.getElementById(id));
    more.addEventListener('click', () => { said.innerText = 'The button was clicked.'; });
    field.addEventListener('input', () => { written.innerText = field.value; });
    notice.querySelector('button').addEventListener('click', () => { notice.style.display = 'none'; });
    ${script}
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

const BAD = `const bad = () => { throw new Error('the page does not allow it'); };`;

/** The pages by what is hostile on them, each with the same page without it. */
export const UNTRUSTED_PAGES: Record<string, { hostile: string; plain: string }> = {
  ...named('controls with the names of properties', 'controls', ['input'], 'name'),
  ...named('controls with the ids of properties', 'controls', ['button'], 'id'),
  ...named('elements with the names of properties', 'elements', ['img', 'form', 'embed', 'object'], 'name'),
  'frames with the names of globals': { hostile: shell(addFrames('')), plain: shell(addFrames('its own ')) },
  ...named('elements with the ids of globals', 'elements', ['b'], 'id'),
  ...named('elements with the roles of properties', "document.querySelector('main')", ['b'], 'role'),
  ...replaced(
    'methods that throw',
    `${BAD} for (const owner of [Array.prototype, Map.prototype, Set.prototype, Promise.prototype, Promise, JSON,
      String.prototype, RegExp.prototype, Element.prototype, Node.prototype, Document.prototype, EventTarget.prototype])
      for (const name of Object.getOwnPropertyNames(owner))
        if (name !== 'constructor') try { owner[name] = bad } catch {}`,
  ),
  ...replaced(
    'methods that return something else',
    `const odd = () => new Proxy(() => odd, { get: () => odd });
    document.querySelector = document.querySelectorAll = document.createTreeWalker = odd;
    for (const name of ['Map', 'Set', 'MutationObserver', 'XMLSerializer', 'getComputedStyle', 'performance'])
      Object.defineProperty(globalThis, name, { get: odd });
    Array.prototype.push = Array.prototype.map = Array.prototype.filter = Array.prototype.some = () => 7;
    Promise.prototype.then = JSON.stringify = JSON.parse = odd;
    globalThis.Promise = globalThis.JSON = globalThis.Symbol = odd();
    Array.prototype[Symbol.iterator] = NodeList.prototype[Symbol.iterator] = function* () { for (;;) yield 1; }`,
  ),
  ...replaced(
    'getters of its own',
    `${BAD} for (const [owner, names] of [[Element.prototype, ['shadowRoot', 'localName', 'tagName', 'id', 'classList',
        'attributes', 'outerHTML', 'innerHTML', 'children', 'scrollHeight', 'clientHeight']],
      [Node.prototype, ['childNodes', 'parentNode', 'parentElement', 'nodeType', 'nodeValue', 'textContent', 'baseURI']],
      [Document.prototype, ['body', 'documentElement', 'title', 'scripts', 'fonts', 'activeElement', 'scrollingElement',
        'doctype', 'implementation']], [Object.prototype, ['winnow', 'get', 'value', 'toJSON', 'then']]])
      for (const name of names) Object.defineProperty(owner, name, { get: bad, configurable: true })`,
  ),
  ...replaced(
    'frozen objects',
    `for (const owner of [Object.prototype, Array.prototype, Function.prototype, Element.prototype, Document.prototype,
      HTMLFormElement.prototype, document, document.body, order]) Object.freeze(owner)`,
  ),
  ...replaced(
    'proxies in the place of prototypes',
    `const bait = { get: () => { throw new Error('the page does not allow it') }, has: () => true };
    for (const each of [document, document.body, controls, document.querySelector('main')])
      Object.setPrototypeOf(each, new Proxy(Object.getPrototypeOf(each), bait));
    globalThis.MutationObserver = new Proxy(MutationObserver, bait)`,
  ),
};

import { isShort } from './examples.ts';
import { memberAt } from './request-schema.ts';
import { waitingAction } from './wait-words.ts';

/** What is done in place of a value: a sentence, or one that is made from the object with the value. */
type Substitute = string | ((entry: unknown) => string);

const action = (type: string, members: object) => JSON.stringify({ type, ...members });
const script = (text: string) => action('executeJavascript', { script: text });

/** A member of an object that is a short text, or another text. */
const textIn = (entry: unknown, names: readonly string[], other: string): string =>
  names
    .map((name) => memberAt(entry, name))
    .filter((each) => typeof each === 'string')
    .find((each) => each && isShort(each)) ?? other;

const SELECTORS = ['selector', 'element', 'css', 'target', 'locator'];
const selectorIn = (entry: unknown, other: string) =>
  JSON.stringify(textIn(entry, SELECTORS, other)).replaceAll('"', "'");

/** An event of the mouse that no action makes. */
const asEvent = (event: string) => (entry: unknown) =>
  `For this, use ${script(`document.querySelector(${selectorIn(entry, '#menu')}).dispatchEvent(new MouseEvent('${event}', { bubbles: true }))`)}`;

/** A tag that a script adds to the page. */
const asTag = (name: 'script' | 'style') => (entry: unknown) => {
  const content = textIn(entry, ['content', 'code', 'script'], '');
  if (name === 'script' && content) return `For this, use ${script(content)}`;
  const members = content
    ? `textContent: ${JSON.stringify(content).replaceAll('"', "'")}`
    : name === 'script'
      ? `src: ${JSON.stringify(textIn(entry, ['url', 'src'], 'https://example.com/a.js')).replaceAll('"', "'")}`
      : "textContent: 'nav { display: none }'";
  return `For this, use ${script(`document.head.append(Object.assign(document.createElement('${name}'), { ${members} }))`)}`;
};

const named = <Value>(names: string, value: Value): Record<string, Value> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** What to do in place of a value that is no value here under any name, as a sentence without a full stop. */
const SUBSTITUTES: Readonly<Record<string, Readonly<Record<string, Substitute>>>> = {
  formats: {
    pdf: 'A PDF of the page is an action: actions: [{"type":"pdf"}]',
    metadata: 'Leave it out: every document has its metadata',
  },
  parsers: named(
    'docx doc word xlsx excel pptx csv html epub json xml',
    'Leave it out: such files are parsed by themselves',
  ),
  actions: {
    ...named('select selectoption dropdown', (entry) => {
      const list = selectorIn(entry, 'select');
      const value = JSON.stringify(textIn(entry, ['value', 'option', 'text'], 'DE')).replaceAll('"', "'");
      return `For a choice, use ${script(`const list = document.querySelector(${list}); list.value = ${value}; list.dispatchEvent(new Event('change', { bubbles: true }))`)}`;
    }),
    ...named(
      'navigate goto open back reload',
      'A request opens only its url. For several pages, use a session: POST /v2/browser',
    ),
    ...named('hover mouseover', asEvent('mouseover')),
    ...named('doubleclick dblclick', asEvent('dblclick')),
    ...named('rightclick contextmenu', asEvent('contextmenu')),
    ...named(
      'focus check uncheck',
      (entry: unknown) => `Use ${action('click', { selector: textIn(entry, SELECTORS, '#agree') })}`,
    ),
    clear: (entry) =>
      `For this, use ${script(`document.querySelector(${selectorIn(entry, '#q')}).value = ''`)}`,
    ...named(
      'drag draganddrop upload uploadfile setinputfiles',
      'A session does this by code: POST /v2/browser',
    ),
    ...named(
      'waitforfunction waitforcondition waituntil',
      (entry: unknown) => `For a condition, use ${JSON.stringify(waitingAction(conditionIn(entry)))}`,
    ),
    ...named(
      'waitfornetworkidle waitforloadstate waitfornavigation waitforload networkidle',
      'Leave it out: after each action, the service waits until the page is quiet. For more time, use {"type":"wait","milliseconds":1000}',
    ),
    addscripttag: asTag('script'),
    addstyletag: asTag('style'),
    ...named(
      'emulatemedia emulatemediatype emulatemediafeatures',
      'Leave it out: a page is read as a screen shows it, and {"type":"pdf"} prints it',
    ),
  },
};

/** The condition of an object, with what stands for one where it has none. */
function conditionIn(entry: unknown): string {
  const text = textIn(entry, ['function', 'fn', 'pageFunction', 'expression', 'script', 'condition'], '');
  return text ? `js:${text}` : 'js:window.isReady';
}

/**
 * What is done in place of a value that is none here under any name.
 * @param name the name of the option; for an entry of a list, that of the list
 * @param entry the object with the value, of an entry of a list
 * @returns a sentence without a full stop
 */
export function substituteFor(name: string, value: unknown, entry?: unknown): string | undefined {
  const found = lookUpValue(SUBSTITUTES, name, value);
  return typeof found === 'function' ? found(entry) : found;
}

/** Finds a value in a table, by the name of its option, however the value is spelled. */
export function lookUpValue<Found>(
  table: Readonly<Record<string, Readonly<Record<string, Found>>>>,
  name: string,
  value: unknown,
): Found | undefined {
  if (typeof value === 'object') return undefined;
  const key = String(value).replace(/[_\s]/g, '').toLowerCase();
  const names = Object.hasOwn(table, name) ? table[name] : undefined;
  return names && Object.hasOwn(names, key) ? names[key] : undefined;
}

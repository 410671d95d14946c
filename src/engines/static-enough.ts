/** Elements whose text nobody sees. */
const UNSEEN = new Set(['script', 'style', 'template', 'svg', 'noscript', 'head']);
const MOUNT_POINT = /\bid\s*=\s*["']?(root|app|__next|__nuxt|svelte|main-app|q-app|application)(["'\s>]|$)/i;
const SHADOW_TREE = /<template[^<>]{0,200}\sshadowrootmode/i;
const ASKS_FOR_SCRIPTS =
  /\b(enable|activate|requires?|turn on)\b[\s\S]{0,80}?\bjavascript\b|\bjavascript\b[\s\S]{0,80}?\b(enabled?|required)\b/i;

/** Visible characters under which a page with scripts is taken for an empty shell. */
const LEAST_TEXT = 250;
/** The same for a page that says it needs JavaScript. */
const LEAST_TEXT_WHEN_ASKED = 1_000;
/** Most pages are judged by so much. */
const BEGINNING_CHARACTERS = 12_000;
/** Far longer pages are judged by their beginning. */
const JUDGED_CHARACTERS = 500_000;

/**
 * Whether HTML as it was sent holds the page's content, or is only the shell that scripts will fill. The rule:
 * not when there is hardly any text but frames, or text in shadow trees; without scripts always else; with them not
 * when an application's mount point is empty, and not when there is hardly any text, or little and the page says that
 * it needs JavaScript.
 */
export function isStaticEnough(html: string): boolean {
  if (SHADOW_TREE.test(html)) return false;
  // With so much text at the beginning, nothing but an empty mount could make a shell of it.
  const beginning = survey(html.slice(0, BEGINNING_CHARACTERS));
  if (beginning.textLength >= LEAST_TEXT_WHEN_ASKED && !MOUNT_POINT.test(html)) return true;
  const { hasFrames, hasScripts, emptyMount, asksForScripts, textLength } = survey(
    html.slice(0, JUDGED_CHARACTERS),
  );
  if (hasFrames && textLength < LEAST_TEXT) return false;
  if (!hasScripts) return true;
  if (emptyMount) return false;
  return textLength >= (asksForScripts ? LEAST_TEXT_WHEN_ASKED : LEAST_TEXT);
}

/** Reads tags one after the other, each character once: a page chosen to be slow cannot be. */
function survey(html: string) {
  const lower = html.toLowerCase();
  const found = {
    hasFrames: false,
    hasScripts: false,
    emptyMount: false,
    asksForScripts: false,
    textLength: 0,
  };
  let mount: string | undefined;
  for (let at = 0; at < html.length; ) {
    const open = lower.indexOf('<', at);
    const text = html.slice(at, open < 0 ? undefined : open).trim();
    found.textLength += text.length;
    if (open < 0) break;
    const close = lower.indexOf('>', open);
    if (close < 0) break;
    const tag = lower.slice(open + 1, close);
    const name = /^\/?[a-z][a-z0-9-]*/.exec(tag)?.[0] ?? '';
    if (mount && !text && name === `/${mount}`) found.emptyMount = true;
    mount = MOUNT_POINT.test(tag) ? name : undefined;
    if (name === 'iframe' || name === 'frame') found.hasFrames = true;
    at = close + 1;
    if (!UNSEEN.has(name) || tag.endsWith('/')) continue;
    const end = name === 'head' ? headEnd(lower, at) : lower.indexOf(`</${name}`, at);
    const inside = lower.slice(at, end < 0 ? undefined : end);
    if (name === 'script' || (name === 'head' && inside.includes('<script'))) found.hasScripts = true;
    if (name === 'noscript' && ASKS_FOR_SCRIPTS.test(inside.slice(0, 2_000))) found.asksForScripts = true;
    if (end < 0) break;
    at = end;
  }
  return found;
}

/** The end of a head may be left out: then its children are read one by one. */
function headEnd(lower: string, at: number): number {
  const end = lower.indexOf('</head', at);
  return end < 0 ? at : end;
}

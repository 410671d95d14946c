/** Schemes that can be opened. Others would be names of hosts, as in `localhost:3000`. */
const SCHEME = /^(https?|about|data|blob):/i;
/** Hosts that seldom have a certificate. */
const LOCAL = /^(localhost|[\d.]+|\[[\d:a-f.]+\])(:\d+)?([/?#]|$)/i;

/** The URL that somebody means by what they type; `undefined` if it is none. */
export function urlOf(typed: string): string | undefined {
  const text = typed.trim();
  if (!text || /\s/.test(text)) return undefined;
  const url = SCHEME.test(text) ? text : `${LOCAL.test(text) ? 'http' : 'https'}://${text}`;
  return URL.canParse(url) ? url : undefined;
}

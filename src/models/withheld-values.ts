/** Values of the installation that no prompt may carry: keys, passwords, settings and paths. */
export interface WithheldValues {
  /** Values that are known, in every form in which they are looked for; see {@link formsOf}. */
  texts: readonly string[];
  /** Whether a text that looks like an API key of the service is one. */
  isApiKey(text: string): Promise<boolean>;
}

/** A shorter value would also be found where it means something else. */
const MIN_LENGTH = 8;
/** The form of the service's API keys, which are stored only as hashes. */
const API_KEY = /\bfc-[\w-]{8,}/g;

/**
 * Lists the forms in which texts may stand in a prompt: as they are, as part of JSON, encoded for URLs, and
 * within base64.
 * @returns each form once, without those that are too short to mean the text
 */
export function formsOf(texts: readonly string[]): string[] {
  const plain = texts.flatMap((text) => [text, decoded(text)]).filter((text) => text.length >= MIN_LENGTH);
  const all = plain.flatMap((text) => [text, ...jsonForms(text), ...urlForms(text), ...base64Forms(text)]);
  return [...new Set(all)].filter((form) => form.length >= MIN_LENGTH);
}

/** A password within a URL is encoded, but may stand elsewhere as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It has a percent sign of its own, so it is not encoded.
    return text;
  }
}

/** A text within a JSON string, also one that is within another JSON string. */
function jsonForms(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  return [once, JSON.stringify(once).slice(1, -1)];
}

function urlForms(text: string): string[] {
  const inForm = new URLSearchParams([['', text]]).toString().slice(1);
  return [encodeURIComponent(text), encodeURI(text), inForm].flatMap((form) => [
    form,
    form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

/**
 * The base64 that every text has in common that contains this one, for each of the three places where it may
 * begin.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** Texts that look like API keys and are looked up at most. */
const MAX_CANDIDATES = 100;

/**
 * Checks whether a prompt carries a value of the installation. Such a prompt is not sent, whatever put the
 * value there.
 */
export async function carriesWithheldValue(
  prompt: string,
  { texts, isApiKey }: WithheldValues,
): Promise<boolean> {
  if (texts.some((text) => prompt.includes(text))) return true;
  const candidates = new Set(prompt.match(API_KEY) ?? []);
  // Such a text cannot be checked in reasonable time.
  if (candidates.size > MAX_CANDIDATES) return true;
  for (const candidate of candidates) if (await isApiKey(candidate)) return true;
  return false;
}

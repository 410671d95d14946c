const UP_TO_LAST_END = /^[\s\S]*<\/think(?:ing)?>/i;

/**
 * Removes what models write around a response: reasoning in `<think>` elements, and a code fence around the
 * whole text. Reasoning that does not end leaves nothing.
 */
export function cleanCompletion(text: string): string {
  // Elements are only looked for where an end tag follows: a search for one that is missing reads the whole rest,
  // and would do so from each start tag.
  const ended = UP_TO_LAST_END.exec(text)?.[0] ?? '';
  const beforeRest = ended
    .replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, '')
    // Some servers put the first tag into the prompt, so that only the last one is in the response.
    .replace(UP_TO_LAST_END, '');
  const withoutThought = (beforeRest + text.slice(ended.length))
    .replace(/<think(?:ing)?>[\s\S]*$/i, '')
    .trim();
  const fenced = /^```[\w-]*[ \t]*\n([\s\S]*?)\n?```$/.exec(withoutThought);
  return fenced ? fenced[1]!.trim() : withoutThought;
}

/**
 * Parses the JSON in a response. Text around one object or array is ignored.
 * @returns `undefined` if there is no JSON
 */
export function parseCompletion(text: string): { value: unknown } | undefined {
  const cleaned = cleanCompletion(text);
  const fenced = /```(?:json)?[ \t]*\n([\s\S]*?)\n?```/i.exec(cleaned)?.[1];
  const start = cleaned.search(/[[{]/);
  const end = Math.max(cleaned.lastIndexOf('}'), cleaned.lastIndexOf(']'));
  const candidates = [cleaned, fenced, start >= 0 && end > start ? cleaned.slice(start, end + 1) : undefined];
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}

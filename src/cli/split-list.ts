const IN_STRING = /["\\]/g;
const OUTSIDE = /["[\]{},]/g;

/**
 * Parses a JSON object while it arrives and yields the text of each member of one of its lists.
 * @param field name of the list, a property of the object itself
 * @returns the object's text without the members
 */
export async function* splitList(
  chunks: AsyncIterable<string>,
  field: string,
): AsyncGenerator<string, string, undefined> {
  const key = `"${field}":`;
  let rest = '';
  let member = '';
  let inList = false;
  let inString = false;
  let escaped = false;
  let depth = 0;

  for await (const chunk of chunks) {
    /** Start of the text that has been added to neither `rest` nor `member`. */
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (escaped) {
        escaped = false;
        at++;
        continue;
      }
      const pattern = inString ? IN_STRING : OUTSIDE;
      pattern.lastIndex = at;
      const match = pattern.exec(chunk);
      if (!match) break;
      at = match.index + 1;
      const mark = match[0];
      if (mark === '"') inString = !inString;
      else if (mark === '\\') escaped = true;
      else if (mark === '{' || mark === '[') {
        depth++;
        if (mark === '{' || depth !== 2 || inList) continue;
        rest += chunk.slice(from, at);
        from = at;
        inList = rest.slice(0, -1).trimEnd().endsWith(key);
      } else {
        if (mark !== ',') depth--;
        const isLast = mark === ']' && depth === 1;
        if (!inList || !(isLast || (mark === ',' && depth === 2))) continue;
        member += chunk.slice(from, match.index);
        from = isLast ? match.index : at;
        inList = !isLast;
        if (member.trim()) yield member.trim();
        member = '';
      }
    }
    if (inList) member += chunk.slice(from);
    else rest += chunk.slice(from);
  }
  return rest;
}

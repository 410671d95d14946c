import { excerpt } from '../../errors.ts';

/** The longest text in which a position that the parser does not tell is looked for. */
const MAX_SEARCHED_CHARACTERS = 100_000;

/**
 * Says why a text is no JSON, and where.
 * @param cause the error of `JSON.parse`
 * @returns such as `Unexpected token 'h' at line 1, column 9`
 */
export function describeMalformedJson(text: string, cause: Error): string {
  if (!text.trim()) return 'it is empty';
  const [reason = ''] = cause.message.split(/ in JSON|, (?:\.\.\.)?"|(?= JSON input)/);
  const told = /position (\d+)/.exec(cause.message)?.[1];
  const offset = told === undefined ? findFault(text) : Number(told);
  if (offset === undefined) return reason;
  const whole = adviseOnShell(text.trim()) ?? adviseOnText(text.trim());
  if (whole) return whole;
  const before = text.slice(0, offset).split('\n');
  const place = `${reason} at line ${before.length}, column ${before.at(-1)!.length + 1}`;
  if (/after JSON/.test(cause.message) && /^[[{"]/.test(text.slice(offset)))
    return `there is a second value at line ${before.length}. Send each in a request of its own`;
  const bracket = /or '([\]}])' after/.exec(reason)?.[1];
  const advice =
    bracket && /^[\]}]/.test(text.slice(offset))
      ? `A ${bracket} is missing before it`
      : adviseOnFault(text.slice(0, offset).trimEnd(), text.slice(offset));
  return advice ? `${place}. ${advice}` : place;
}

/** Says how a body is written that has the quotes or backslashes which were meant for a shell; undefined for others. */
function adviseOnShell(text: string): string | undefined {
  if (/^'\s*[{[].*[}\]]\s*'$/s.test(text))
    return `the single quotes around the object came with it, because the command line of Windows does not know them. Write it as "{\\"url\\": \\"https://example.com\\"}", or put it into a file and send it by -d @body.json`;
  return /^[{[]\s*\\"/.test(text)
    ? `there is a backslash before each quote, which the shell did not need. Write it as '{"url": "https://example.com"}' in single quotes, or put it into a file and send it by -d @body.json`
    : undefined;
}

/** Says what to send in place of a text that is the wrong thing altogether; undefined for others. */
function adviseOnText(text: string): string | undefined {
  if (/^https?:\/\/\S+$/i.test(text))
    return `it is a URL by itself. Write ${JSON.stringify({ url: excerpt(text, 200) })}`;
  if (/^@[\w./~-]+$/.test(text))
    return `it is the name of a file. curl reads the file for -d ${excerpt(text, 100)} or --data-binary, and not for --data-raw or -F`;
  if (/^(\[object \w+\]|undefined)$/.test(text))
    return 'the program has not written its object as JSON. In JavaScript, send JSON.stringify(body)';
  return /^b['"]/.test(text)
    ? 'the program has sent bytes as Python prints them. Send json.dumps(body), or json=body with requests and httpx'
    : undefined;
}

/** Says what is to be changed at a place where a text stops being JSON; undefined where that is not known. */
function adviseOnFault(before: string, after: string): string | undefined {
  const [next = ''] = after;
  if (before.endsWith(',') && /[\]},]/.test(next)) return 'Remove the comma before it';
  if (next === "'") return `JSON has double quotes: write " in place of '`;
  if (next === '“' || next === '”') return 'JSON has straight double quotes: write "';
  if (next === '/' || next === '#') return 'JSON has no comments: remove it';
  const [word = ''] = /^[A-Za-z_$][\w$]*/.exec(after) ?? [];
  if (Object.hasOwn(WORDS, word)) return `JSON has no ${word}: write ${WORDS[word]}`;
  const [, name, value] = /^([\w$]+)\s*:\s*([^\s"'{[,}][^,}\n]*)/.exec(after) ?? [];
  if (name && value && /[{,]$/.test(before) && !/^(-?\d|true|false|null)/.test(value))
    return `Names and texts are in double quotes: "${excerpt(name, 60)}": "${excerpt(value.trim(), 200)}"`;
  if (word && /[{,]$/.test(before))
    return `The names of members are in double quotes: "${excerpt(word, 60)}"`;
  if (word && /[:[]$/.test(before)) return `A text is in double quotes: "${excerpt(word, 60)}"`;
  if (next === '\n' || next === '\t' || next === '\r')
    return 'Within a string, write \\n for the end of a line and \\t for a tab';
  if (/["\d\]}el]$/.test(before) && /["'{[\w]/.test(next)) return 'A comma is missing before it';
  return next === '' ? 'The end is missing' : undefined;
}

/** Words of programming languages that JSON does not have. */
const WORDS: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  nil: 'null',
  undefined: 'null',
  NaN: 'null',
  Infinity: 'null',
};

/** The place of the first character that no JSON can have there; undefined in a long text. */
function findFault(text: string): number | undefined {
  if (text.length > MAX_SEARCHED_CHARACTERS) return undefined;
  let viable = 0;
  let broken = text.length + 1;
  while (broken - viable > 1) {
    const middle = (viable + broken) >> 1;
    if (mayContinue(text.slice(0, middle))) viable = middle;
    else broken = middle;
  }
  return viable;
}

/** Whether a text is JSON, or the beginning of some. */
function mayContinue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return error instanceof Error && /end of JSON input|Unterminated/.test(error.message);
  }
}

/**
 * Media types whose body may be JSON: JSON (RFC 6839 for `+json`), and what clients send that name no type.
 */
const MAY_BE_JSON = /^(application\/([\w.-]+\+)?json|text\/(json|plain)|application\/octet-stream|\*\/\*)?$/i;

/**
 * Says that a body is of another type than JSON, and what to send.
 * @param contentType the header of the request
 * @param path the path of the request
 * @returns undefined if the type does not exclude JSON
 */
export function describeOtherType(contentType: string | undefined, path: string): string | undefined {
  const [type = ''] = (contentType ?? '').split(';');
  if (MAY_BE_JSON.test(type.trim())) return undefined;
  if (/^\/v2\/parse\/?$/i.test(path))
    return `the Content-Type is ${excerpt(type.trim())}. Send the file as multipart/form-data in the part \`file\`, with its name in the parameter filename: curl -F file=@page.html`;
  const isForm = /^multipart\//i.test(type);
  const advice = isForm ? ' Only POST /v2/parse takes a file.' : ' A file goes to POST /v2/parse.';
  return `the Content-Type is ${excerpt(type.trim())}. Send a JSON object with Content-Type: application/json.${advice}`;
}

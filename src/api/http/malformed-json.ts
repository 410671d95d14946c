import { excerpt } from '../../errors.ts';
import { parseJson } from '../../json/json-object.ts';

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
  if (bracket && /^[\]}]/.test(text.slice(offset))) return `${place}. A ${bracket} is missing before it`;
  const { advice, mended } = mendFault(text.slice(0, offset), text.slice(offset));
  if (!advice) return place;
  const others = mended === undefined ? [] : listOtherFaults(mended, advice);
  return [place, advice, ...others].join('. ');
}

/** What is to be changed at a place where a text stops being JSON. */
interface Fault {
  advice?: string | undefined;
  /** The text after the change; undefined where that is not known. */
  mended?: string | undefined;
}

/** The most faults that are mended to find those behind them, and the most that are told besides the first. */
const MAX_MENDED = 50;
const MAX_TOLD = 3;
/** The longest text that is mended. */
const MAX_MENDED_CHARACTERS = 20_000;

/** What else is to be changed in a text whose first fault is mended, each kind of fault once. */
function listOtherFaults(mendedText: string, told: string): string[] {
  let text: string | undefined = mendedText;
  const found = new Set([told]);
  for (let count = 0; count < MAX_MENDED && text !== undefined; count++) {
    if (text.length > MAX_MENDED_CHARACTERS) break;
    const offset: number | undefined = findFault(text);
    if (offset === undefined || offset >= text.length) break;
    const fault: Fault = mendFault(text.slice(0, offset), text.slice(offset));
    if (fault.advice) found.add(fault.advice);
    text = fault.mended;
  }
  return [...found].slice(1, MAX_TOLD + 1);
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
  if (/^--[^\n]*\r?\nContent-Disposition:\s*(form-data|attachment)/i.test(text))
    return 'it is multipart/form-data, which only POST /v2/parse takes, and the Content-Type says otherwise. Leave that header out: the HTTP client sets it with the boundary that it uses';
  const members = membersOf(text);
  if (members) return `it is a form or YAML. Write it as JSON: ${JSON.stringify(members)}`;
  if (/^<[a-z!?]/i.test(text))
    return 'it is HTML or XML. A file goes to POST /v2/parse, as multipart/form-data';
  if (/^(\[object \w+\]|undefined)$/.test(text))
    return 'the program has not written its object as JSON. In JavaScript, send JSON.stringify(body)';
  return /^b['"]/.test(text)
    ? 'the program has sent bytes as Python prints them. Send json.dumps(body), or json=body with requests and httpx'
    : undefined;
}

/** The longest form whose members are repeated. */
const MAX_FORM_CHARACTERS = 300;
/** A form, whose members have no blanks, and lines of YAML. */
const FORM = /^[\w.[\]-]+=[^\s&]*(?:&[\w.[\]-]+=[^\s&]*)*$/;
const YAML = /^\w+:[ \t]+\S.*(?:\r?\n\w+:[ \t]+\S.*)*$/;

/** The members of a short form or of lines of YAML, with their values as JSON has them; undefined for other texts. */
function membersOf(text: string): Record<string, unknown> | undefined {
  if (text.length > MAX_FORM_CHARACTERS) return undefined;
  const pairs: Iterable<readonly [string, string]> | undefined = FORM.test(text)
    ? new URLSearchParams(text)
    : YAML.test(text)
      ? text
          .split(/\r?\n/)
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const)
      : undefined;
  return (
    pairs &&
    Object.fromEntries([...pairs].map(([name, value]) => [name, parseJson(value.trim()) ?? value.trim()]))
  );
}

/** Says what is to be changed at a place where a text stops being JSON, and changes it. */
function mendFault(text: string, after: string): Fault {
  const before = text.trimEnd();
  const [next = ''] = after;
  if (before.endsWith(',') && /[\]},]/.test(next))
    return { advice: 'Remove the comma before it', mended: before.slice(0, -1) + after };
  const [quoted, inside] = /^'([^'\n]*)'/.exec(after) ?? [];
  if (next === "'")
    return {
      advice: `JSON has double quotes: write " in place of '`,
      mended: quoted && text + JSON.stringify(inside) + after.slice(quoted.length),
    };
  if (next === '“' || next === '”') return { advice: 'JSON has straight double quotes: write "' };
  if (next === '/' || next === '#')
    return {
      advice: 'JSON has no comments: remove it',
      mended: text + after.replace(/^(\/\*.*?\*\/|(\/\/|#)[^\n]*)/s, ''),
    };
  const [word = ''] = /^[A-Za-z_$][\w$]*/.exec(after) ?? [];
  const replaced = (by: string) => text + by + after.slice(word.length);
  if (Object.hasOwn(WORDS, word))
    return { advice: `JSON has no ${word}: write ${WORDS[word]}`, mended: replaced(WORDS[word]!) };
  const [, name, value] = /^([\w$]+)\s*:\s*([^\s"'{[,}][^,}\n]*)/.exec(after) ?? [];
  if (name && value && /[{,]$/.test(before) && !/^(-?\d|true|false|null|None|undefined)/i.test(value))
    return {
      advice: `Names and texts are in double quotes: "${excerpt(name, 60)}": "${excerpt(value.trim(), 200)}"`,
    };
  if (word && /[{,]$/.test(before))
    return {
      advice: `The names of members are in double quotes: "${excerpt(word, 60)}"`,
      mended: replaced(JSON.stringify(word)),
    };
  if (word && /[:[]$/.test(before))
    return {
      advice: `A text is in double quotes: "${excerpt(word, 60)}"`,
      mended: replaced(JSON.stringify(word)),
    };
  return { advice: adviseOnGap(before, next) };
}

/** Says what is missing where a text stops being JSON, or which white space it has within a string. */
function adviseOnGap(before: string, next: string): string | undefined {
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
    if (!(error instanceof Error)) return false;
    // After a comma or a bracket, the end is told as a place where something else is expected.
    const isAtEnd = Number(/position (\d+)/.exec(error.message)?.[1] ?? -1) >= text.length;
    return isAtEnd || /end of JSON input|Unterminated/.test(error.message);
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

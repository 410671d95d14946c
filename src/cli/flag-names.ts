import { fieldsOf } from '../json/json-object.ts';
import { pathText } from '../json/path-text.ts';
import type { CommandArgs } from './arguments.ts';

/**
 * Names the flags of a command in a message of the API that names options, such as `--wait-for` in place of
 * `waitFor`.
 * @param details the details of the error, whose paths tell the options; see the schema of errors
 * @param args the arguments of the command; an option that is none of them keeps its name
 */
export function withFlagNames(message: string, details: unknown, args: CommandArgs): string {
  const paths = Array.isArray(details) ? details.map((detail) => fieldsOf(detail).path) : [];
  const text = paths.reduce((told: string, path) => nameFlag(told, path, args), message);
  return text.replace(/^Bad Request: /, '');
}

function nameFlag(message: string, path: unknown, args: CommandArgs): string {
  if (!Array.isArray(path)) return message;
  const names = path.filter((key) => typeof key === 'string');
  for (const option of [names.at(-1), names[0]]) {
    const flag = option?.replace(/[A-Z]/g, (letter: string) => `-${letter.toLowerCase()}`);
    const arg = flag === undefined ? undefined : args[flag];
    if (arg && arg.type !== 'positional') return message.replace(placeOf(message, path), `--${flag}`);
  }
  return message;
}

/** How a message names the place: whole, or only its first option. */
function placeOf(message: string, path: readonly PropertyKey[]): string {
  const whole = pathText(path);
  return message.includes(whole) ? whole : String(path[0]);
}

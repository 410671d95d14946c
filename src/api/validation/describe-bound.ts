import { z } from 'zod';
import { insteadOf, type Mistake, unitOf } from './mistake.ts';
import { adviseOnNoLimit } from './no-limit.ts';

type BoundIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

/** Says which bound a value exceeds, and what it has instead. */
export function describeBound(issue: BoundIssue, mistake: Mistake): string {
  const { where, value, plains } = mistake;
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const isEmpty = issue.code === 'too_small' && Number(bound) === 1;
  const fault = `${where} must ${boundOf(issue)}`;
  if (typeof value === 'string') return isEmpty ? fault : `${fault}, but has ${value.length}`;
  if (Array.isArray(value))
    return isEmpty
      ? `${where} is empty; it must have at least one entry`
      : `${fault}, but has ${value.length}`;
  const unit = unitOf(plains);
  return `${fault}${unit ? ` (in ${unit})` : ''}, ${insteadOf(value, mistake.checked.part)}${adviseOnUnit(mistake)}`;
}

/** What is added to a message of a schema about a bound: the unit, the value, and what may be meant. */
export function completeBound(message: string, mistake: Mistake): string {
  const { value, plains } = mistake;
  if (typeof value !== 'number') return message;
  const unit = unitOf(plains);
  return `${message}${unit ? ` (in ${unit})` : ''}, ${insteadOf(value)}${adviseOnUnit(mistake)}`;
}

/** Asks whether no limit is meant, or seconds in place of milliseconds or the other way round, where that fits. */
function adviseOnUnit({ value, plains, path }: Mistake): string {
  const unit = unitOf(plains);
  const [plain] = plains;
  const noLimit = plain && adviseOnNoLimit(String(path.at(-1)), value, plain);
  if (noLimit) return `. ${noLimit}`;
  if (typeof value !== 'number' || !plain || (unit !== 'ms' && unit !== 'seconds')) return '';
  const converted = unit === 'ms' ? value * 1000 : value / 1000;
  if (converted === value || !z.safeParse(plain.schema, converted).success) return '';
  return `. If you mean ${value} ${unit === 'ms' ? 'seconds' : 'ms'}, write ${converted}`;
}

/** The bound that a value exceeds, as what it must do. */
function boundOf(issue: BoundIssue): string {
  const isSmall = issue.code === 'too_small';
  const bound = isSmall ? issue.minimum : issue.maximum;
  const strictly = issue.inclusive === false ? (isSmall ? 'more than' : 'less than') : undefined;
  const limit = `${strictly ?? (isSmall ? 'at least' : 'at most')} ${bound}`;
  switch (issue.origin) {
    case 'string':
      return bound === 1 && isSmall ? 'not be empty' : `have ${limit} characters`;
    case 'array':
    case 'set':
      return bound === 1 && isSmall ? 'have at least one entry' : `have ${limit} entries`;
    case 'object':
    case 'record':
      return `have ${limit} members`;
    default:
      return `be ${limit}`;
  }
}

import { decodeUndeclared } from '../charsets/detect-encoding.ts';

/** Limits: of the text of one calendar, in characters, and of the events in it. */
const MAX_CHARACTERS = 1024 * 1024;
const MAX_EVENTS = 100;

/** An event in a calendar. What is unknown is absent. */
export interface CalendarEvent {
  title?: string;
  isCancelled: boolean;
  /** The known facts of the event, under headings such as `Begin`, in the order in which it is written. */
  details: [string, string][];
  description?: string;
}

/** A property of an event: its value and its parameters, such as the time zone. */
interface Property {
  value: string;
  parameters: string;
}

/** Reads the events of a calendar in the format iCalendar (RFC 5545). Damaged lines are left out. */
export function readCalendar(bytes: Uint8Array): CalendarEvent[] {
  const text = decodeUndeclared(bytes.subarray(0, MAX_CHARACTERS)).text;
  const events: Map<string, Property[]>[] = [];
  const open: string[] = [];
  let isCancelled = false;
  // Long lines are continued on the next one behind a space.
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name = '', parameters = '', value = ''] =
      /^([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? [];
    const property = name.toUpperCase();
    if (property === 'BEGIN') {
      open.push(value.toUpperCase());
      if (open.at(-1) === 'VEVENT') events.push(new Map());
      if (events.length > MAX_EVENTS) break;
    } else if (property === 'END') open.pop();
    else if (property === 'METHOD') isCancelled = value.toUpperCase() === 'CANCEL';
    else if (open.at(-1) === 'VEVENT') {
      const event = events.at(-1);
      const values = event?.get(property);
      if (values) values.push({ value, parameters });
      else event?.set(property, [{ value, parameters }]);
    }
  }
  return events.slice(0, MAX_EVENTS).map((event) => toEvent(event, isCancelled));
}

function toEvent(properties: ReadonlyMap<string, Property[]>, isCancelled: boolean): CalendarEvent {
  const text = (name: string) => unescaped(properties.get(name)?.[0]?.value ?? '').trim();
  const time = (name: string) => (properties.get(name) ?? []).slice(0, 1).map(writtenTime).join('');
  const people = (name: string) => (properties.get(name) ?? []).map(writtenPerson).join(', ');
  const details: [string, string][] = [
    ['Begin', time('DTSTART')],
    ['End', time('DTEND')],
    ['Place', text('LOCATION')],
    ['Repeats', text('RRULE')],
    ['Organizer', people('ORGANIZER')],
    ['Attendees', people('ATTENDEE')],
  ];
  const [title, description] = [text('SUMMARY'), text('DESCRIPTION')];
  return {
    ...(title && { title }),
    isCancelled: isCancelled || text('STATUS').toUpperCase() === 'CANCELLED',
    details: details.filter(([, value]) => value),
    ...(description && { description }),
  };
}

const unescaped = (value: string) =>
  value.replace(/\\(.)/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));

const parameterOf = (parameters: string, name: string) =>
  new RegExp(`;${name}=(?:"([^"]*)"|([^;]*))`, 'i').exec(parameters)?.slice(1).find(Boolean);

/** A date, or a date and time with its time zone; other values stay as they are. */
function writtenTime({ value, parameters }: Property): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?$/.exec(value) ?? [];
  if (!year) return value;
  const zone = utc ? 'UTC' : parameterOf(parameters, 'TZID');
  return [`${year}-${month}-${day}`, hour && `${hour}:${minute}`, hour && zone].filter(Boolean).join(' ');
}

function writtenPerson({ value, parameters }: Property): string {
  const address = value.replace(/^mailto:/i, '');
  const name = parameterOf(parameters, 'CN');
  return name && name !== address ? `${name} <${address}>` : address;
}

import { fieldsOf } from '../../json/json-object.ts';

/** A command of a protocol client, as far as this process reads it. Chromium checks the rest. */
export interface ProtocolCommand {
  id: number;
  method: string;
  params?: object | null;
  /** Absent for the browser itself. */
  sessionId?: string | null;
}

/** The JSON-RPC code for what is not a command. */
export const INVALID_REQUEST = -32_600;

/** The error message for a message that is no command. */
export const COMMAND_SHAPE =
  "A command must have an integer 'id' and a string 'method'; 'params' is an object and 'sessionId' a string";

/** Whether a message has the shape of a command. */
export function isCommand(message: object): message is ProtocolCommand {
  const { id, method, params, sessionId } = fieldsOf(message);
  return (
    Number.isSafeInteger(id) &&
    typeof method === 'string' &&
    (params === undefined || typeof params === 'object') &&
    (sessionId === undefined || sessionId === null || typeof sessionId === 'string')
  );
}

/** The ids at the beginning and at the end of a command that is not parsed. */
const HEAD_ID = /^\s*\{\s*"id"\s*:\s*(\d{1,15})\s*,/;
const TAIL_SESSION_ID = /"sessionId"\s*:\s*"(\w{1,64})"\s*\}\s*$/;
const ID_BYTES = 200;

/** Reads what the response to a command needs, where clients write it, without parsing the command. */
export function readIds(json: Buffer): { id: number; sessionId?: string } | undefined {
  const [, id] = HEAD_ID.exec(json.toString('latin1', 0, ID_BYTES)) ?? [];
  const [, sessionId] = TAIL_SESSION_ID.exec(json.toString('latin1', json.length - ID_BYTES)) ?? [];
  return id === undefined ? undefined : { id: Number(id), ...(sessionId && { sessionId }) };
}

/** Parses a message of a client. @returns `undefined` if it is not a JSON object or list */
export function parseMessage(text: string): object | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return message !== null && typeof message === 'object' ? message : undefined;
  } catch {
    // Only a client that does not speak the protocol sends anything else.
    return undefined;
  }
}

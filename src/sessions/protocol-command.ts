import { fieldsOf } from '../json-object.ts';

/** A command of a protocol client, as far as this process reads it. Chromium checks the rest. */
export interface ProtocolCommand {
  id: number;
  method: string;
  params?: object | null;
  /** Absent for the browser itself. */
  sessionId?: string | null;
}

/** The JSON-RPC codes that Chromium uses for its own errors, and for what is not a command. */
export const SERVER_ERROR = -32_000;
export const INVALID_REQUEST = -32_600;

/** What a message must be to be a command, for errors. */
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

// The steps and settings that the programs in JavaScript share.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../../../src/errors.ts';
import { fieldsOf } from '../../../src/json/json-object.ts';

/** A setting of the run, such as the URL of a session. */
export const setting = (name: string): string => process.env[`WINNOW_CLIENT_${name}`] ?? '';
export const SITE = setting('SITE');
export const URL_OF_SESSION = setting('URL');
/** A file of the client's machine, and the name that downloads of the site have. */
export const FILE = setting('FILE');
export const NAME = 'report.txt';
const STEP_MS = 30_000;

/** Performs a step, and prints what it returned or the message of its error. */
export async function step<Value>(name: string, perform: () => Promise<Value>): Promise<Value | undefined> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // The timer keeps the program running when a client waits for a connection that has ended.
  const timer = setTimeout(() => reject(new Error(`nothing for ${STEP_MS / 1000} seconds`)), STEP_MS);
  try {
    const value = await Promise.race([perform(), late]);
    const isPlain = typeof value === 'string' || Array.isArray(value) || Object.hasOwn(value ?? {}, 'text');
    console.log(JSON.stringify({ step: name, value: isPlain ? value : 'done' }));
    return value;
  } catch (error) {
    // Puppeteer rejects with an event of its WebSocket.
    console.log(JSON.stringify({ step: name, error: String(fieldsOf(error).message ?? messageOf(error)) }));
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Uploads the file to the session, for clients that send none of their own machine. */
export async function uploadToSession(): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([await readFile(FILE)]), basename(FILE));
  const response = await fetch(`${URL_OF_SESSION.replace(/^ws/, 'http')}/files`, {
    method: 'POST',
    body: form,
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Reads a download of the session by commands of the DevTools protocol. */
export async function readByProtocol(
  send: (method: 'IO.read', params: { handle: string }) => Promise<{ data: string }>,
  name: string,
): Promise<string> {
  const { data } = await send('IO.read', { handle: `/downloads/${name}` });
  return Buffer.from(data, 'base64').toString();
}

/** Reads a download of the session by the API, for clients that have no commands of the protocol. */
export async function readByApi(name: string): Promise<string> {
  const headers = { Authorization: `Bearer ${setting('KEY')}` };
  const response = await fetch(`${setting('API')}/downloads/${name}`, { headers });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

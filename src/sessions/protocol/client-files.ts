import { fieldsOf } from '../../json/json-object.ts';
import type { Downloads } from '../downloads/downloads.ts';
import { DOWNLOADS_PATH } from '../session-paths.ts';
import type { ProtocolCommand } from './protocol-command.ts';

/** The files of a session, as far as a client needs them. */
export type SessionFiles = Pick<Downloads, 'has' | 'read'>;

/** Bytes of a file that a client gets at once, if it does not say how many, and at most. */
const READ_BYTES = 1024 * 1024;
const MAX_READ_BYTES = 8 * 1024 * 1024;
/** Files that a client may read at the same time; that which was begun first is then forgotten. */
const MAX_READ_FILES = 64;

/**
 * Replaces the paths of files that a client gives to an input or drags onto a page. It names files of its own
 * machine; those of the session have the same names, if they were uploaded.
 * @returns the command, or why it is refused
 */
export function withSessionFiles(
  command: ProtocolCommand,
  files: SessionFiles,
): ProtocolCommand | { refuse: string } {
  const { method } = command;
  const params = fieldsOf(command.params);
  if (method === 'DOM.setFileInputFiles') {
    const translated = sessionPaths(method, params.files, files);
    if (!translated || 'refuse' in translated) return translated ?? command;
    return { ...command, params: { ...params, files: translated.paths } };
  }
  if (method === 'Input.dispatchDragEvent') {
    const data = fieldsOf(params.data);
    const translated = sessionPaths(method, data.files, files);
    if (!translated || 'refuse' in translated) return translated ?? command;
    return { ...command, params: { ...params, data: { ...data, files: translated.paths } } };
  }
  return command;
}

/** The paths of files in the session; undefined for what is no list, which the browser refuses. */
function sessionPaths(
  method: string,
  given: unknown,
  files: SessionFiles,
): { paths: string[] } | { refuse: string } | undefined {
  if (!Array.isArray(given)) return undefined;
  const paths: string[] = [];
  for (const path of given) {
    const name = (typeof path === 'string' && path.split(/[\\/]/).at(-1)) || '';
    if (isSessionPath(path)) paths.push(path);
    else if (files.has(name)) paths.push(`${DOWNLOADS_PATH}/${name}`);
    else
      return {
        refuse: `${method} accepts only files in ${DOWNLOADS_PATH}, where none is named ${JSON.stringify(name.slice(0, 255))}. Upload it by POST /v2/browser/{id}/files, then give its name`,
      };
  }
  return { paths };
}

const isSessionPath = (path: unknown): path is string =>
  typeof path === 'string' && path.startsWith(`${DOWNLOADS_PATH}/`);

/** Reads files of the session for a client, by the commands for streams of the protocol. */
export class ClientFileReader {
  readonly #files: SessionFiles;
  /** The position after the last read of each file. */
  readonly #positions = new Map<string, number>();

  constructor(files: SessionFiles) {
    this.#files = files;
  }

  /** Whether a command is about a file of the session, whose path is its handle. */
  isFor({ method, params }: ProtocolCommand): boolean {
    return (method === 'IO.read' || method === 'IO.close') && isSessionPath(fieldsOf(params).handle);
  }

  /** Performs `IO.read` or `IO.close`. @throws ServiceError `NOT_FOUND` */
  async perform({ method, params }: ProtocolCommand): Promise<object> {
    const { handle, offset, size } = fieldsOf(params);
    const path = String(handle);
    const known = this.#positions.get(path);
    this.#positions.delete(path);
    if (method === 'IO.close') return {};
    const position = Number.isSafeInteger(offset) && Number(offset) >= 0 ? Number(offset) : (known ?? 0);
    const bytes = Number.isSafeInteger(size) && Number(size) > 0 ? Number(size) : READ_BYTES;
    const read = await this.#files.read(path.slice(DOWNLOADS_PATH.length + 1), {
      position,
      bytes: Math.min(bytes, MAX_READ_BYTES),
    });
    this.#positions.set(path, position + read.length);
    for (const oldest of this.#positions.keys()) {
      if (this.#positions.size <= MAX_READ_FILES) break;
      this.#positions.delete(oldest);
    }
    return { base64Encoded: true, data: read.toString('base64'), eof: read.length === 0 };
  }
}

import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Lines that are sorted in memory at once; as many files are merged as there are such runs. */
const RUN_LINES = 20_000;
/** Lines that are written to the disk at once. */
const CHUNK_LINES = 1_000;

/** Lines on the disk, of which memory holds a bounded number. They are deleted when it is disposed of. */
export class LineFiles implements AsyncDisposable {
  readonly #directory: string;
  #runs: string[] = [];
  #unsorted: string[] = [];
  #plain: string[] = [];

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async create(): Promise<LineFiles> {
    return new LineFiles(await mkdtemp(path.join(tmpdir(), 'winnow-export-')));
  }

  get #plainFile(): string {
    return path.join(this.#directory, 'plain');
  }

  /** Adds a line that comes in its order. */
  async add(line: string): Promise<void> {
    this.#plain.push(line);
    if (this.#plain.length >= CHUNK_LINES) await this.#writePlain();
  }

  /** Adds a line that comes in the order of all such lines. */
  async addSorted(line: string): Promise<void> {
    this.#unsorted.push(line);
    if (this.#unsorted.length >= RUN_LINES) await this.#writeRun();
  }

  async #writePlain(): Promise<void> {
    await appendFile(this.#plainFile, asText(this.#plain), { mode: 0o600 });
    this.#plain = [];
  }

  async #writeRun(): Promise<void> {
    const file = path.join(this.#directory, String(this.#runs.length));
    await writeFile(file, asText(this.#unsorted.sort(inOrderOfBytes)), { mode: 0o600 });
    this.#runs.push(file);
    this.#unsorted = [];
  }

  /** Reads the lines that came in their order. */
  async *plain(): AsyncGenerator<string> {
    await this.#writePlain();
    yield* linesOf(this.#plainFile);
  }

  /** Reads the other lines, sorted by their bytes. */
  async *sorted(): AsyncGenerator<string> {
    if (this.#unsorted.length) await this.#writeRun();
    const runs = await Promise.all(
      this.#runs.map(async (file) => {
        const lines = linesOf(file);
        return { lines, head: await lines.next() };
      }),
    );
    for (;;) {
      const open = runs.filter(({ head }) => !head.done);
      if (!open.length) return;
      const next = open.reduce((a, b) =>
        inOrderOfBytes(String(b.head.value), String(a.head.value)) < 0 ? b : a,
      );
      yield String(next.head.value);
      next.head = await next.lines.next();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }
}

const asText = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

/** Lines are ASCII where they differ in their keys, whose order is then that of their bytes. */
const inOrderOfBytes = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

async function* linesOf(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

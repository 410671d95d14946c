import type { Frame } from '../../sandbox/frames.ts';
import { serveTasks } from '../../sandbox/task-loop.ts';
import type { DocumentTask } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { CONVERTERS, type ConverterContext } from './converters.ts';

/** The program of the sandboxed processes that convert documents. Its argument is the {@link ConverterContext}. */
const context = JSON.parse(process.argv[2] ?? '{}') as ConverterContext;

serveTasks(async ({ header, parts: [bytes = new Uint8Array()] }) => {
  // The service sends it.
  const task = header as DocumentTask;
  try {
    return await convert(task, bytes);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { header: { failure: { fault: error.fault, message: error.message } }, parts: [] };
  }
});

/** Converts a document. The images follow the JSON, which has the rest. */
async function convert(task: DocumentTask, bytes: Uint8Array): Promise<Frame> {
  const converter = await CONVERTERS[task.type]();
  const { images, ...document } = await converter(task, bytes, context);
  return {
    header: { document: { ...document, images: images.map(({ id, mediaType }) => ({ id, mediaType })) } },
    parts: images.map((image) => image.bytes),
  };
}

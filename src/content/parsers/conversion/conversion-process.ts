import type { Frame } from '../../../system/sandbox/frames.ts';
import { serveTasks } from '../../../system/sandbox/task-loop.ts';
import type { DocumentTask } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { cleanDocument } from './clean-text.ts';
import type { ConverterContext, ConverterSettings } from './converter.ts';
import { CONVERTERS, LOAD_ONLY } from './converters.ts';

/**
 * The program of the sandboxed processes that convert documents. Its argument is the
 * {@link ConverterSettings}, or {@link LOAD_ONLY} to load all modules and end.
 */
const [, , argument = '{}'] = process.argv;
if (argument === LOAD_ONLY) await loadAll();
else serve(JSON.parse(argument) as ConverterSettings);

async function loadAll(): Promise<void> {
  await Promise.all(Object.values(CONVERTERS).map((load) => load()));
  await import('../pdf/source/pdfjs.ts');
}

function serve(settings: ConverterSettings): void {
  serveTasks(async ({ header, parts: [bytes = new Uint8Array()] }, report) => {
    // The service sends it.
    const task = header as DocumentTask;
    try {
      return await convert(task, bytes, { ...settings, report });
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return { header: { failure: { fault: error.fault, message: error.message } }, parts: [] };
    }
  });
}

/** Converts a document. The images follow the JSON, which has the rest. */
async function convert(task: DocumentTask, bytes: Uint8Array, context: ConverterContext): Promise<Frame> {
  const converter = await CONVERTERS[task.type]();
  const { images, ...document } = await converter(task, bytes, context);
  return {
    header: {
      document: {
        ...cleanDocument(document),
        images: images.map(({ id, mediaType }) => ({ id, mediaType })),
      },
    },
    parts: images.map((image) => image.bytes),
  };
}

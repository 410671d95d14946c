import { commandLine } from './command-line.ts';
import { curl } from './curl.ts';
import { javaScript } from './java-script.ts';
import { python } from './python.ts';
import type { Snippet, SnippetRequest } from './snippet.ts';
import { toolCall } from './tool-call.ts';

/** The ways to send a request, in the order of their tabs. One that cannot send it writes nothing. */
const LANGUAGES: { language: string; write(request: SnippetRequest): string | undefined }[] = [
  { language: 'curl', write: curl },
  { language: 'JavaScript', write: javaScript },
  { language: 'Python', write: python },
  { language: 'Command line', write: commandLine },
  { language: 'MCP', write: toolCall },
];

/** Writes a request in several languages. Each runs as it is copied, if the variable of the key is set. */
export const writeSnippets = (request: SnippetRequest): Snippet[] =>
  LANGUAGES.flatMap(({ language, write }) => {
    const text = write(request);
    return text === undefined ? [] : [{ language, text }];
  });

import { settings } from './state.ts';
import { showNotice, showStatus } from './status.ts';

/** The URL of a resource below that of this live view. */
export const urlBelow = (path: string) => `${location.pathname.replace(/\/$/, '')}/${path}`;

/**
 * Stores files of the viewer's machine in the session, one after the other.
 * @returns the names that they have there; those that could not be stored are missing, and the viewer is told
 */
export async function storeFiles(files: File[]): Promise<string[]> {
  const names: string[] = [];
  for (const file of files.slice(0, settings.maxFiles)) {
    showStatus(`Sending ${file.name}…`);
    try {
      const body = new FormData();
      body.append('file', file, file.name);
      const response = await fetch(urlBelow('files'), { method: 'POST', body });
      const { name, error } = await response.json();
      if (!response.ok) throw new Error(error);
      names.push(name);
      showStatus('');
    } catch (error) {
      showNotice(`${file.name} was not sent. ${error instanceof Error ? error.message : ''}`);
      return names;
    }
  }
  return names;
}

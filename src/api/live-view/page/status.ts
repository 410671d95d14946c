import { signal } from '@preact/signals';

const NOTICE_MS = 4_000;
let timer: ReturnType<typeof setTimeout> | undefined;
const text = signal('Connecting…');

/** The sentence over the picture; empty if there is none. */
export const status: { readonly value: string } = text;

/** Shows a sentence until another one, or a picture, takes its place. */
export function showStatus(sentence: string): void {
  clearTimeout(timer);
  timer = undefined;
  text.value = sentence;
}

/** Shows a sentence for a while, whatever pictures come. */
export function showNotice(sentence: string): void {
  showStatus(sentence);
  timer = setTimeout(() => showStatus(''), NOTICE_MS);
}

/** Removes the sentence when a picture is shown, unless it is one that has to be read. */
export function pictureShown(): void {
  if (!timer) text.value = '';
}

/** A program in a guide. */
export interface Sample {
  /** The name with which its block begins. */
  language: string;
  text: string;
}

/** The programs of a guide that send a request, which are in a section of their own. */
export function samplesOf(guide: string): Sample[] {
  const section = guide.split(/^## /m).find((part) => part.startsWith('From a program\n')) ?? '';
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

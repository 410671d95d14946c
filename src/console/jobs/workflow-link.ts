import { html } from 'htm/preact';

/** The URLs of workflows by the kind of a job, as the page has them; none if Temporal's UI cannot be reached. */
const URLS: Record<string, string> = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="workflow-urls"]')?.content ?? '{}',
);

/** A link to the workflow of a job in Temporal's web interface. */
export const WorkflowLink = ({ kind, id }: { kind: string; id: string }) =>
  URLS[kind] !== undefined &&
  html`<a class="button" href=${URLS[kind] + id} target="_blank" rel="noopener">Open in Temporal</a>`;

import { html } from 'htm/preact';
import { JsonTree } from './json-tree.ts';

/** A field of the data of a page before and after a change. */
export interface ChangedField {
  name: string;
  previous: unknown;
  current: unknown;
}

/** The fields that differ. Without any, the API returns the diff of the text as data, which has other entries. */
export function changedFields(json: unknown): ChangedField[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, entry]: [string, unknown]) =>
    typeof entry === 'object' && entry !== null && 'previous' in entry && 'current' in entry
      ? [{ name, previous: entry.previous, current: entry.current }]
      : [],
  );
}

/** The fields of a page that changed, before and now. */
export const FieldTable = ({ fields, label }: { fields: ChangedField[]; label: string }) => html`
  <div class="wide" tabindex="0" role="region" aria-label=${label}>
    <table>
      <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead>
      <tbody>${fields.map(
        ({ name, previous, current }) => html`
          <tr key=${name}><th scope="row">${name}</th><td><${JsonTree} value=${previous} /></td><td><${JsonTree} value=${current} /></td></tr>`,
      )}</tbody>
    </table>
  </div>`;

import { html } from 'htm/preact';

/** The paths of the icons, on a field of 20 by 20. */
const PATHS = {
  back: 'M12 4l-6 6 6 6',
  forward: 'M8 4l6 6-6 6',
  reload: 'M15.5 10a5.5 5.5 0 1 1-1.6-3.9M15.5 3v3.5H12',
  stop: 'M5 5l10 10M15 5L5 15',
  plus: 'M10 4v12M4 10h12',
  fit: 'M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4',
  download: 'M10 3.5v9M6 9l4 4 4-4M4 16.5h12',
  page: 'M5.5 3h6l3 3v11h-9zM11.5 3v3h3',
  keyboard: 'M2.5 5.5h15v9h-15zM5.5 8.5h.1M8.5 8.5h.1M11.5 8.5h.1M14.5 8.5h.1M6.5 11.5h7',
} as const;

/** An icon, which screen readers skip: what it stands for is said beside it. */
export const Icon = ({ name }: { name: keyof typeof PATHS }) =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

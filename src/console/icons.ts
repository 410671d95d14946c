import { html } from 'htm/preact';

/** The paths of the icons, on a field of 20 by 20. */
const PATHS = {
  playground: 'M4 5.5h12M4 10h7M4 14.5h4M13 12l4 2.5-4 2.5z',
  jobs: 'M4 5h12M4 10h12M4 15h8',
  monitors: 'M10 3a7 7 0 1 1 0 14a7 7 0 0 1 0-14zM10 6v4l3 2',
  sessions: 'M3 4.5h14v11H3zM3 7.5h14M5.5 6h.1M7.5 6h.1',
  help: 'M10 3a7 7 0 1 1 0 14a7 7 0 0 1 0-14zM8 8a2 2 0 1 1 2.6 1.9L10 11M10 13.7h.1',
  usage: 'M4 16V9M8 16V5M12 16v-5M16 16V7',
  webhooks: 'M4 10h9M10 6l4 4-4 4M16 4v12',
  operator: 'M4 6h7M15 6h1M4 14h1M9 14h7M13 4.2v3.6M7 12.2v3.6',
  docs: 'M5 3.5h7l3 3V16.5H5zM8 9h4M8 12h4',
  sun: 'M10 6.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  moon: 'M15.5 11.8A6 6 0 0 1 8.2 4.5a6 6 0 1 0 7.3 7.3z',
  system: 'M3 4.5h14v9H3zM7 16.5h6',
  key: 'M12.5 3.5a4 4 0 1 1-3.3 6.2L4 15v1.5h2.5V15H8v-1.5h1.5l1-1',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'M4 10.5l4 4 8-9',
  play: 'M6 4l10 6-10 6z',
  close: 'M5 5l10 10M15 5L5 15',
  warning: 'M10 3.5l7 12.5H3zM10 8v4M10 14v.5',
  plus: 'M10 4v12M4 10h12',
} as const;
export type IconName = keyof typeof PATHS;

/** An icon, which screen readers skip: what it stands for is said beside it. */
export const Icon = ({ name }: { name: IconName }) =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

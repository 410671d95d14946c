/** The kit's sets of annotated pages. */
export type SetName = 'wcxb' | 'aeb';

export const TYPES = [
  'article',
  'documentation',
  'service',
  'forum',
  'collection',
  'listing',
  'product',
] as const;

const COLUMNS: Record<SetName, string[]> = {
  wcxb: ['chain', 'F1', 'with%', 'without%', ...TYPES],
  aeb: ['chain', 'F1', 'precision', 'recall'],
};

/** Figures from the kit's README, measured on the same files with the same scorer. */
const PEERS: Record<SetName, (string | number)[][]> = {
  wcxb: [
    ['rs-trafilatura 0.2.2', 0.818, 75.6, 11.5, 0.919, 0.933, 0.751, 0.749, 0.628, 0.609, 0.577],
    ['rs-trafilatura, from text', 0.847, 75.6, 9.6, 0.934, 0.939, 0.825, 0.76, 0.672, 0.669, 0.635],
    ['trafilatura 2.3.1, from text', 0.823, 73.7, 7.0, 0.937, 0.917, 0.765, 0.694, 0.574, 0.583, 0.637],
    ['defuddle 0.19.4', 0.809, 74.7, 8.8, 0.929, 0.931, 0.744, 0.653, 0.562, 0.556, 0.613],
    ['tag removal', 0.776, 83.4, 34.1, 0.868, 0.921, 0.79, 0.518, 0.616, 0.681, 0.512],
    ['readability 0.6.0', 0.772, 69.3, 7.4, 0.928, 0.91, 0.727, 0.462, 0.498, 0.512, 0.473],
  ],
  aeb: [
    ['rs_trafilatura, from text', 0.97],
    ['trafilatura favor_precision, from text', 0.964],
    ['trafilatura 2.0, from text', 0.958],
    ['readability', 0.95, 0.916, 0.987],
    ['defuddle', 0.925, 0.887, 0.967],
    ['tag removal', 0.808, 0.686, 0.983],
  ],
};

/** Makes a row of the set's table from a name and figures. */
export function row(set: SetName, cells: (string | number | undefined)[]): Record<string, string> {
  return Object.fromEntries(
    COLUMNS[set].map((name, index) => {
      const cell = cells[index];
      if (typeof cell !== 'number') return [name, cell ?? ''];
      return [name, name.endsWith('%') ? cell.toFixed(1) : cell.toFixed(3).replace(/^0/, '')];
    }),
  );
}

/** The figures of other tools on the set. */
export const peersOf = (set: SetName): Record<string, string>[] => PEERS[set].map((cells) => row(set, cells));

/** Texts for numbers and times, in the language of the browser. */

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** How long ago a time was, such as `5 min ago`. */
export function ago(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/** A duration, such as `350 ms`, `4.2 s` or `3 min 5 s`. @param ms milliseconds */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How many pages are done in a time, such as `4.1 pages per second` or `12.0 pages per hour`. */
export function pace(perSecond: number): string {
  if (perSecond >= 1 || perSecond === 0) return `${perSecond.toFixed(1)} pages per second`;
  return perSecond * 60 >= 1
    ? `${(perSecond * 60).toFixed(1)} pages per minute`
    : `${(perSecond * 3600).toFixed(1)} pages per hour`;
}

/** A number with its noun, such as `1 link` or `2,000 links`. */
export const count = (number: number, noun: string): string =>
  `${number.toLocaleString()} ${noun}${number === 1 ? '' : 's'}`;

/** A share in percent, such as `12 %`, `3.4 %` or `less than 0.1 %`. @param share from 0 to 1 */
export function percent(share: number): string {
  const hundredths = share * 100;
  return hundredths < 0.1 ? 'less than 0.1 %' : `${hundredths.toFixed(hundredths < 10 ? 1 : 0)} %`;
}

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes, such as `512 B`, `48 KiB` or `1.2 MiB`. */
export function bytes(number: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(number, 1)) / 10));
  const amount = number / 1024 ** power;
  return `${power > 1 ? amount.toFixed(1) : Math.round(amount)} ${SIZES[power]}`;
}

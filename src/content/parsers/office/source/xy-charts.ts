/** The series of a chart, and what it is made of (ECMA-376-1, 21.2.2.170). */
const SERIES = /<c:ser(?=[\s>])[^<>]*>(?:(?!<c:ser[\s>])[\s\S])*?<\/c:ser>/g;
const POINT = /<c:pt\b[^<>]*?\sidx="(\d+)"[^<>]*>\s*<c:v>([^<]*)<\/c:v>/g;
const CHART = /<(\/?)c:(?:scatterChart|bubbleChart)>/g;
const MAX_POINTS = 20_000;

const CACHE = /<c:(numCache|strCache)>([\s\S]*?)<\/c:\1>/g;

/**
 * Writes empty points where a series of a chart has none: anydoc counts points instead of reading their
 * numbers, so that all values behind a gap would belong to other categories.
 */
export function completePoints(xml: string): string {
  return xml.replace(CACHE, (cache, name: string, content: string) => {
    const points = [...content.matchAll(POINT)];
    const count = Number(points.at(-1)?.[1] ?? -1) + 1;
    if (count === points.length || count > MAX_POINTS) return cache;
    const known = pointsIn(content);
    const rest = content.replace(/<c:pt\b[\s\S]*?<\/c:pt>/g, '');
    const all = Array.from({ length: count }, (_, index) => point(index, known.get(index) ?? ''));
    return `<c:${name}>${rest}${all.join('')}</c:${name}>`;
  });
}

interface Series {
  xml: string;
  /** The horizontal places of the points, each with the number of earlier points there. */
  places: string[];
  values: string[];
}

/**
 * Writes a chart of points, which have two coordinates, like one of categories: anydoc reads only these. All
 * series get the places of all points, in the order in which they come.
 */
export function xyChartToCategories(xml: string): string {
  if (!CHART.test(xml)) return xml;
  CHART.lastIndex = 0;
  const series = [...xml.matchAll(SERIES)].map(([each]) => readSeries(each));
  const places = inOrder([...new Set(series.flatMap((each) => each.places))]).slice(0, MAX_POINTS);
  if (places.length === 0) return xml;
  let place = 0;
  return xml
    .replace(SERIES, (each) => writeSeries(series[place++] ?? readSeries(each), places))
    .replace(CHART, '<$1c:barChart>');
}

function readSeries(xml: string): Series {
  const horizontal = pointsIn(/<c:xVal>([\s\S]*?)<\/c:xVal>/.exec(xml)?.[1] ?? '');
  const vertical = pointsIn(/<c:yVal>([\s\S]*?)<\/c:yVal>/.exec(xml)?.[1] ?? '');
  const seen = new Map<string, number>();
  const places: string[] = [];
  const values: string[] = [];
  for (const [index, value] of vertical) {
    // A chart without horizontal places numbers its points.
    const at = horizontal.get(index) ?? String(index + 1);
    const earlier = seen.get(at) ?? 0;
    seen.set(at, earlier + 1);
    places.push(`${at}\n${earlier}`);
    values.push(value);
  }
  return { xml, places, values };
}

function pointsIn(xml: string): Map<number, string> {
  const points = new Map<number, string>();
  for (const [, index, value = ''] of xml.matchAll(POINT))
    if (points.size < MAX_POINTS) points.set(Number(index), value);
  return points;
}

function writeSeries({ xml, places, values }: Series, all: readonly string[]): string {
  const categories = all.map((place, index) => point(index, place.split('\n')[0] ?? ''));
  const own = new Map(places.map((place, index) => [place, values[index] ?? '']));
  const points = all.flatMap((place, index) => {
    const value = own.get(place);
    return value === undefined ? [] : [point(index, value)];
  });
  const cache = (content: string) => `<c:ptCount val="${all.length}"/>${content}`;
  const categoriesXml = `<c:cat><c:strRef><c:strCache>${cache(categories.join(''))}</c:strCache></c:strRef></c:cat>`;
  const valuesXml = `<c:val><c:numRef><c:numCache>${cache(points.join(''))}</c:numCache></c:numRef></c:val>`;
  return xml
    .replace(/<c:xVal>[\s\S]*?<\/c:xVal>/, '')
    .replace(/<c:bubbleSize>[\s\S]*?<\/c:bubbleSize>/, '')
    .replace(/<c:yVal>[\s\S]*?<\/c:yVal>/, () => categoriesXml + valuesXml);
}

const point = (index: number, value: string) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`;

/** Numbers in their order; other texts stay in that of the file. */
function inOrder(places: string[]): string[] {
  if (!places.every((place) => /^-?[\d.]+(?:e[+-]?\d+)?\n/i.test(place))) return places;
  return places.sort((one, other) => Number.parseFloat(one) - Number.parseFloat(other));
}

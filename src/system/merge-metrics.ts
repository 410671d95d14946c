const ABOUT_METRIC = /^# (?:HELP|TYPE) (\S+)/;

/**
 * Joins metrics of several registries. In the text format of Prometheus, all samples of a metric follow its one
 * description, so the metrics that several registries have cannot just be appended.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { about: string[]; samples: string[] }>();
  for (const text of texts) {
    const known = new Set(metrics.keys());
    let name = '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      name = ABOUT_METRIC.exec(line)?.[1] ?? name;
      const metric = metrics.get(name) ?? { about: [], samples: [] };
      metrics.set(name, metric);
      if (!line.startsWith('#')) metric.samples.push(line);
      else if (!known.has(name)) metric.about.push(line);
    }
  }
  const lines = [...metrics.values()].flatMap(({ about, samples }) => [...about, ...samples]);
  return `${lines.join('\n')}\n`;
}

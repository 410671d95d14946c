import type { ClusterOptions, Dependency, Linked } from './options.ts';

/** The ports at which each service finds those that it depends on. */
export type Links = Record<Linked, Record<Dependency, number>>;

const DEPENDENCIES: Record<Linked, Dependency[]> = {
  api: ['postgres', 'temporal', 'blobs'],
  worker: ['postgres', 'temporal', 'blobs'],
  temporal: ['postgres'],
};

/** Finds the ports, which are those of the services themselves unless something is put in between. */
export async function linkServices(
  ports: Record<Dependency, number>,
  link: ClusterOptions['link'],
): Promise<Links> {
  const links: Links = { api: { ...ports }, worker: { ...ports }, temporal: { ...ports } };
  for (const from of Object.keys(DEPENDENCIES) as Linked[])
    for (const to of DEPENDENCIES[from]) if (link) links[from][to] = await link(from, to, ports[to]);
  return links;
}

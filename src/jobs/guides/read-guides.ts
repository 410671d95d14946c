import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { commandOf } from '../../config.ts';
import { isJsonObject } from '../../json/json-object.ts';

const DOCS = path.join(import.meta.dirname, '../../../docs');

/** Where the guides are served. */
export const GUIDES_PATH = '/docs/guides';
/** The name of the guide that is made of the API reference. */
export const REFERENCE = 'api';

/** A part of a guide that has a heading of its own. */
export interface GuideSection {
  /** The name of the guide, which is that of its file. */
  guide: string;
  /** The title of the guide. */
  title: string;
  heading: string;
  /** URL path of the section, with its anchor. */
  path: string;
  /** Markdown without the heading. */
  text: string;
}

/** The anchor of a heading: its words in lower case, separated by hyphens. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');

/**
 * Reads all guides, and the API reference as another one.
 * @param program how commands begin here, in place of `winnow`
 */
export async function readGuides(program = commandOf()): Promise<GuideSection[]> {
  const directory = path.join(DOCS, 'guides');
  const files = (await readdir(directory)).filter((file) => file.endsWith('.md')).sort();
  const guides = await Promise.all(
    files.map(async (file) => ({
      guide: path.basename(file, '.md'),
      text: (await readFile(path.join(directory, file), 'utf8')).replaceAll(
        /`winnow (?=[a-z])/g,
        `\`${program} `,
      ),
    })),
  );
  // The file is generated from the routes in this shape.
  const openapi = JSON.parse(await readFile(path.join(DOCS, 'openapi.json'), 'utf8')) as OpenApi;
  return [...guides, { guide: REFERENCE, text: describeReference(openapi) }].flatMap(splitGuide);
}

/**
 * Splits a guide at its headings of the second level. The text before the first of them belongs to the title.
 */
function splitGuide({ guide, text }: { guide: string; text: string }): GuideSection[] {
  const [first = '', ...parts] = text.split(/^## /m);
  const title = /^# (.*)$/m.exec(first)?.[1] ?? guide;
  return parts.map((part) => {
    const end = part.indexOf('\n');
    const heading = part.slice(0, end).trim();
    const place = `${GUIDES_PATH}/${guide}#${anchorOf(heading)}`;
    return { guide, title, heading, path: place, text: part.slice(end).trim() };
  });
}

/** The part of an OpenAPI document that the guide of the API shows. */
interface OpenApi {
  paths: Record<string, Record<string, { summary?: string; tags?: string[]; requestBody?: unknown }>>;
  components: { schemas: Record<string, unknown> };
}

/** Describes each operation by its summary, and by the fields of its body with their descriptions. */
function describeReference({ paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { summary = '', requestBody }]) => {
      const fields = fieldsOf(requestBody, components.schemas);
      return `## ${method.toUpperCase()} ${route}\n\n${summary}.\n\n${fields.join('\n')}`;
    }),
  );
  return `# API reference\n\n${operations.join('\n\n')}`;
}

/** The fields of a JSON body with their descriptions, as a list. */
function fieldsOf(requestBody: unknown, schemas: Record<string, unknown>): string[] {
  const schema = pick(requestBody, 'content', 'application/json', 'schema');
  const reference = pick(schema, '$ref');
  const resolved = typeof reference === 'string' ? schemas[reference.split('/').at(-1) ?? ''] : schema;
  const properties = pick(resolved, 'properties');
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const description = pick(property, 'description');
    return `- \`${name}\`${typeof description === 'string' ? `: ${description}` : ''}`;
  });
}

/** Follows member names into a value. */
const pick = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((current, name) => (isJsonObject(current) ? current[name] : undefined), value);

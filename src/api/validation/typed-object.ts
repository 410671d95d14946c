import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { plainName } from '../../json/similar-name.ts';
import { exampleBody, isShort } from './examples.ts';
import { literalsOf, type Plain, shapeOf } from './request-schema.ts';
import { translate } from './value-names.ts';

/** Names under which other tools have the type of an object. */
const TYPE_NAMES: ReadonlySet<string> = new Set(['format', 'name', 'action', 'kind', 'types']);
/** The most objects that are suggested for members that several types have. */
const MAX_SUGGESTED = 2;

/**
 * Rewrites an object of a union that lacks its `type`, where another member says which one is meant:
 * `{"wait": 1000}`, `{"format": "markdown"}`, or one whose members fit only a few types.
 * @param plains the objects of the union
 * @returns the objects that may be meant; none if that is not to be told
 */
export function suggestTyped(plains: readonly Plain[], sent: unknown): unknown[] {
  if (!isJsonObject(sent) || !isShort(sent)) return [];
  for (const [key, value] of Object.entries(sent)) {
    const { [key]: _, ...others } = sent;
    const byKey = findByType(plains, key) ?? findByType(plains, translate('actions', key));
    if (byKey) return [{ ...membersFrom(byKey, value), ...others }];
    const byValue = TYPE_NAMES.has(plainName(key)) ? findByType(plains, value) : undefined;
    if (byValue) return [{ type: byValue.type, ...others }];
  }
  if (!Object.keys(sent).length) return [];
  const { url, ...rest } = sent;
  // An object with several URLs has them in a list.
  const forms = [sent, ...(typeof url === 'string' ? [{ urls: [url], ...rest }] : [])];
  return plains
    .flatMap((plain) => {
      const [type] = literalsOf(shapeOf([plain]).type ?? plain.schema);
      const typed = forms.map((form) => ({ type, ...form }));
      return type === undefined ? [] : typed.filter((each) => z.safeParse(plain.schema, each).success);
    })
    .slice(0, MAX_SUGGESTED);
}

/** The texts that an object has under names which stand for its type in other tools, and the names of its members. */
export const typeNamesIn = (sent: unknown): string[] =>
  Object.entries(isJsonObject(sent) ? sent : {}).flatMap(([key, value]) =>
    TYPE_NAMES.has(plainName(key)) && typeof value === 'string' ? [value] : [key],
  );

/** The object of a union for a type, however that is spelled. */
function findByType(plains: readonly Plain[], name: unknown): { type: unknown; plain: Plain } | undefined {
  if (typeof name !== 'string') return undefined;
  for (const plain of plains) {
    const types = literalsOf(shapeOf([plain]).type ?? plain.schema);
    const type = types.find((each) => plainName(String(each)) === plainName(name));
    if (type !== undefined) return { type, plain };
  }
  return undefined;
}

/** The object of a type, with what stood beside the name of the type: its members, or the value of one. */
function membersFrom({ type, plain }: { type: unknown; plain: Plain }, value: unknown): object {
  const required = exampleBody(plain.schema);
  if (isJsonObject(value)) return { ...required, ...value, type };
  const shape = shapeOf([plain]);
  const names = [...Object.keys(required), ...Object.keys(shape)].filter((name) => name !== 'type');
  const name = names.find((each) => typeof value !== 'boolean' && z.safeParse(shape[each]!, value).success);
  const known = { ...required, ...(name !== undefined && value !== null && { [name]: value }) };
  return { ...known, type };
}

/** The contents of a step, by the schema of its kind, as the form of the step takes it. */
import type { Schema } from '../../components/schema-form/schema.ts';
import { memberWords } from './step-words.ts';

/** Lists of steps within a step. */
export type Within =
  | { readonly kind: 'steps'; readonly member: string }
  /** Lists of steps, as the branches of a `parallel`. */
  | { readonly kind: 'branches'; readonly member: string; readonly least: number; readonly most: number }
  /** Objects that have a list of steps among their members, as the cases of a `switch`. */
  | { readonly kind: 'cases'; readonly member: string; readonly steps: string; readonly element: Schema };

export interface StepKind {
  /** The members that are no steps. */
  readonly schema: Schema;
  readonly within: readonly Within[];
  /** Whether it may say what is done where it is refused. */
  readonly hasOnError: boolean;
  /** What a step of the kind begins as, without its id. */
  readonly initial: Readonly<Record<string, unknown>>;
}

/** The kinds of steps by their types, from the schema of a logic block. */
export function stepKindsOf(block: Schema): ReadonlyMap<string, StepKind> {
  const variants = block.properties?.steps?.items?.oneOf ?? [];
  return new Map(
    variants.flatMap((variant): [string, StepKind][] => {
      const type = variant.properties?.type?.const;
      return typeof type === 'string' ? [[type, stepKind(type, variant)]] : [];
    }),
  );
}

function stepKind(type: string, { properties = {}, required = [], ...variant }: Schema): StepKind {
  const within = Object.entries(properties).flatMap(([member, schema]) => withinOf(member, schema) ?? []);
  const elsewhere = ['on_error', ...within.map(({ member }) => member)];
  const plain = Object.entries(properties).filter(([name]) => !elsewhere.includes(name));
  const initial = Object.fromEntries(
    required
      .filter((name) => name !== 'id')
      .map((name) => [
        name,
        initialMember(
          properties[name] ?? {},
          within.find(({ member }) => member === name),
        ),
      ]),
  );
  return {
    schema: {
      ...variant,
      properties: Object.fromEntries(plain.map(([name, schema]) => [name, described(type, name, asTyped(schema))])),
      required: required.filter((name) => plain.some(([other]) => other === name)),
    },
    within,
    hasOnError: properties.on_error !== undefined,
    initial: { type, ...initial },
  };
}

/** With words for a member whose schema has none. */
function described(type: string, name: string, schema: Schema): Schema {
  const words = memberWords[type]?.[name];
  return words === undefined || schema.description !== undefined ? schema : { ...schema, description: words };
}

function withinOf(member: string, schema: Schema): Within | undefined {
  if (isSteps(schema)) return { kind: 'steps', member };
  const { items } = schema;
  if (schema.type !== 'array' || items === undefined) return undefined;
  if (isSteps(items))
    return { kind: 'branches', member, least: schema.minItems ?? 0, most: schema.maxItems ?? Number.POSITIVE_INFINITY };
  const steps = Object.entries(items.properties ?? {}).find(([, one]) => isSteps(one))?.[0];
  if (steps === undefined) return undefined;
  const others = Object.entries(items.properties ?? {}).filter(([name]) => name !== steps);
  const element = { ...items, properties: Object.fromEntries(others.map(([name, one]) => [name, asTyped(one)])) };
  return { kind: 'cases', member, steps, element };
}

function isSteps({ type, items }: Schema): boolean {
  return type === 'array' && items?.$ref === '#/$defs/LogicStep';
}

/**
 * As a builder types it: values of any kind are texts, since most are templates, and objects of values are texts by names.
 * What is stored as something else is edited as JSON.
 */
function asTyped(schema: Schema): Schema {
  const { description, type, properties, items, anyOf, additionalProperties } = schema;
  const text: Schema = { type: 'string', ...(description === undefined ? {} : { description }) };
  const isText = Array.isArray(type) && type.includes('string');
  const longest = anyOf?.find((variant) => variant.type === 'string');
  if (isText || (Object.keys(schema).length === 0 && type === undefined)) return text;
  if (longest !== undefined) return { ...text, maxLength: 300 };
  if (type === 'object' && properties === undefined && (additionalProperties ?? true) === true)
    return { ...schema, additionalProperties: { type: 'string' } };
  if (properties !== undefined)
    return {
      ...schema,
      properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, asTyped(member)])),
    };
  return items === undefined || type !== 'array' ? schema : { ...schema, items: asTyped(items) };
}

function initialMember(schema: Schema, within: Within | undefined): unknown {
  if (within?.kind === 'steps') return [];
  if (within?.kind === 'branches') return Array.from({ length: Math.max(within.least, 1) }, () => []);
  if (within?.kind === 'cases') return [newCase(within)];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'object') return {};
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return false;
  return schema.type === 'integer' || schema.type === 'number' ? (schema.minimum ?? 0) : '';
}

export function newCase({ steps, element }: Extract<Within, { readonly kind: 'cases' }>): object {
  const names = (element.required ?? []).filter((name) => name !== steps);
  return { ...Object.fromEntries(names.map((name) => [name, ''])), [steps]: [] };
}

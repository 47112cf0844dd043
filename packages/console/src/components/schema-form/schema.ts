/** The parts of JSON Schema (2020-12) that a form is made from. What it does not know is edited as JSON. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** By which input a value is edited. */
export type Input =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'headers' | 'json' }
  | { readonly kind: 'members'; readonly schema: Schema }
  | { readonly kind: 'elements'; readonly element: Schema }
  | { readonly kind: 'variants'; readonly member: string; readonly variants: ReadonlyMap<string, Schema> }
  | { readonly kind: 'nullable'; readonly schema: Schema };

export function inputOf(schema: Schema): Input {
  const { type, items, additionalProperties, properties } = schema;
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants !== undefined) return inputOfVariants(variants);
  if (schema.enum?.every((value) => typeof value === 'string')) return { kind: 'choice', values: schema.enum };
  if (type === 'string') return { kind: 'text' };
  if (type === 'integer' || type === 'number') return { kind: 'number' };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'array' && items !== undefined)
    return items.type === 'string' && items.enum === undefined
      ? { kind: 'texts' }
      : { kind: 'elements', element: items };
  if (type === 'object' && properties !== undefined) return { kind: 'members', schema };
  if (typeof additionalProperties === 'object' && additionalProperties.type === 'string') return { kind: 'headers' };
  return { kind: 'json' };
}

function inputOfVariants(variants: readonly Schema[]): Input {
  const [only, ...others] = variants.filter(({ type }) => type !== 'null');
  if (only !== undefined && others.length === 0) return { kind: 'nullable', schema: only };
  const member = Object.entries(only?.properties ?? {}).find(([, { const: value }]) => typeof value === 'string')?.[0];
  if (member === undefined) return { kind: 'json' };
  const byName = new Map(variants.map((variant) => [String(variant.properties?.[member]?.const), variant]));
  return byName.has('undefined') ? { kind: 'json' } : { kind: 'variants', member, variants: byName };
}

/** The least value of a schema, from which a form begins. */
export function initialOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const input = inputOf(schema);
  switch (input.kind) {
    case 'choice':
      return input.values[0];
    case 'text':
      return '';
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'texts':
      return [];
    case 'elements':
      return Array.from({ length: schema.minItems ?? 0 }, () => initialOf(input.element));
    case 'headers':
      return {};
    case 'json':
      return schema.type === 'array' ? [] : schema.type === 'object' ? {} : '';
    case 'nullable':
      return null;
    case 'variants': {
      const [first] = input.variants.values();
      return first === undefined ? {} : initialOf(first);
    }
    case 'members':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, initialOf(schema.properties?.[name] ?? {})]),
      );
  }
}

/** The value as another variant: members that are the same in both stay, the others begin empty. */
export function toVariant(value: object, from: Schema, to: Schema): object {
  const isSame = (name: string) =>
    to.properties?.[name] !== undefined &&
    JSON.stringify(from.properties?.[name]) === JSON.stringify(to.properties[name]);
  return {
    ...(initialOf(to) as object),
    ...Object.fromEntries(Object.entries(value).filter(([name]) => isSame(name))),
  };
}

export function withMember(value: object, name: string, member: unknown): object {
  if (member !== undefined) return { ...value, [name]: member };
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

/** Whether the form can show a value: JSON may hold a text where the schema has an object. */
export function fits(input: Input, value: unknown): boolean {
  switch (input.kind) {
    case 'choice':
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'elements':
      return Array.isArray(value);
    case 'headers':
      return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
    case 'members':
      return isObject(value);
    case 'variants':
      return isObject(value) && input.variants.has(String(Reflect.get(value, input.member)));
    case 'json':
    case 'nullable':
      return true;
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name of the API as a person reads it: `entry_conditions` as “Entry conditions”. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

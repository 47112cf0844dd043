import { checkSchema } from './check-schema.ts';
import { describedFormat } from './formats/described-formats.ts';
import type { JsonSchema } from './json-schema.ts';

/** Gives a value that its schema allows with each text of a format in the one spelling of its value. */
export type CanonicalForm = (value: unknown) => unknown;

/**
 * Handlers see one spelling of an id or a time, however it was sent, so none has a reader of its own. Undefined for a
 * schema in which nothing has a second spelling.
 */
export function canonicalForm(schema: JsonSchema): CanonicalForm | undefined {
  const { format, items, properties } = schema;
  const branches = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return formOfBranches(branches);
  const described = describedFormat(format);
  if (described !== undefined) return (value) => (typeof value === 'string' ? (described.read(value) ?? value) : value);
  if (items !== undefined) return formOfElements(items as JsonSchema);
  return properties === undefined ? undefined : formOfMembers(properties as Readonly<Record<string, JsonSchema>>);
}

function formOfBranches(branches: readonly JsonSchema[]): CanonicalForm | undefined {
  const forms = branches.map(canonicalForm);
  if (forms.every((form) => form === undefined)) return undefined;
  return (value) => {
    const form = forms[branches.findIndex((branch) => checkSchema(branch, value).length === 0)];
    return form === undefined ? value : form(value);
  };
}

function formOfElements(items: JsonSchema): CanonicalForm | undefined {
  const form = canonicalForm(items);
  if (form === undefined) return undefined;
  return (value) => (Array.isArray(value) ? value.map((element) => form(element)) : value);
}

function formOfMembers(properties: Readonly<Record<string, JsonSchema>>): CanonicalForm | undefined {
  const forms = new Map<string, CanonicalForm>();
  for (const [name, shape] of Object.entries(properties)) {
    const form = canonicalForm(shape);
    if (form !== undefined) forms.set(name, form);
  }
  if (forms.size === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, forms.get(name)?.(member) ?? member]),
    );
  };
}

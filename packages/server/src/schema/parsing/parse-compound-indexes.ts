import { definitionLimits, type FieldDefinition, orderedField, orderedFieldText } from '../definition.ts';
import type { AddError } from './add-error.ts';
import { type Part, partsOf, refuseUnknownMembers } from './members.ts';
import { indexableNames } from './parse-keys.ts';

/** The platform's own fields that the records of a compound index can be in the order of. */
const platformOrders = ['created_at', 'updated_at'];

/** Checks `indexes`. */
export function checkCompoundIndexes(input: unknown, fields: readonly FieldDefinition[], add: AddError): void {
  const known = new Set([...fields.map(({ name }) => name), ...platformOrders]);
  const indexable = new Set([...indexableNames(fields), ...platformOrders]);
  const served = new Map<string, string>();
  const place = { name: 'indexes', pointer: '/indexes', max: definitionLimits.compoundIndexesMax };
  for (const part of partsOf(input, place, add)) {
    refuseUnknownMembers(part, { what: 'an index', known: ['fields'] }, add);
    const order = readOrder(part, { known, indexable }, add);
    if (order === undefined) continue;
    const reverse = order.map((one) => ({ ...one, descending: !one.descending }));
    const other = served.get(textOf(order)) ?? served.get(textOf(reverse));
    if (other !== undefined) add(`${part.pointer}/fields`, 'duplicate', `the index \`${other}\` serves this order`);
    served.set(textOf(order), textOf(order));
  }
}

type Order = readonly ReturnType<typeof orderedField>[];

function textOf(order: Order): string {
  return order.map(orderedFieldText).join(',');
}

interface Names {
  readonly known: ReadonlySet<string>;
  readonly indexable: ReadonlySet<string>;
}

function readOrder({ item, pointer }: Part, { known, indexable }: Names, add: AddError): Order | undefined {
  const { fields } = item;
  const at = `${pointer}/fields`;
  const max = definitionLimits.compoundFieldsMax;
  if (!Array.isArray(fields) || fields.length < 2 || fields.length > max) {
    add(
      at,
      'wrong_type',
      `\`fields\` must be a list of 2 to ${max} names of fields, each perhaps with \`-\` before it`,
    );
    return undefined;
  }
  const order: ReturnType<typeof orderedField>[] = [];
  for (const [index, part] of fields.entries()) {
    const refuse = (code: string, message: string): void => add(`${at}/${index}`, code, message);
    if (typeof part !== 'string') {
      refuse('wrong_type', 'the name of a field must be a string');
      continue;
    }
    const one = orderedField(part);
    const shown = one.field.slice(0, 100);
    if (!known.has(one.field)) refuse('unknown_field', `\`${shown}\` is not a field`);
    else if (!indexable.has(one.field)) refuse('not_indexable', `field \`${shown}\`: its colType cannot be indexed`);
    else if (order.some(({ field }) => field === one.field)) refuse('duplicate', `field \`${shown}\` is named twice`);
    else order.push(one);
  }
  return order.length === fields.length ? order : undefined;
}

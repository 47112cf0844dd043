import {
  elementIds,
  type FieldDefinition,
  type FieldValue,
  type ItemDefinition,
  isLookupList,
  lookupElementsMax,
} from '../definition.ts';
import { jsonInExpressions, listInExpressions } from './expression-value.ts';
import {
  type Contained,
  type FieldBehaviour,
  type FieldType,
  isValueProblem,
  type ValueProblem,
  wrongType,
} from './field-type.ts';
import { type BoundMeasure, lengthHints } from './hints/bounds-hints.ts';
import { plainTypes } from './plain-types.ts';
import { stringType } from './string.ts';

/** Several values of one plain type, in their order. `minlength` and `maxlength` count them. */
export const arrayType: FieldType = {
  colType: 'array',
  hints: ['items', 'minlength', 'maxlength'],
  isList: true,
  example: ({ minlength = 0, items = {} }) =>
    Array.from({ length: minlength }, () => itemType(items)?.example?.({ name: 'item', ...items })),
  inExpressions: ({ items = {} }) =>
    listInExpressions(itemType(items)?.inExpressions?.({ name: 'item', ...items }) ?? jsonInExpressions),
  behave: (field) => {
    const lengths = lengthHints(field, elements);
    if (typeof lengths === 'string') return lengths;
    const item = itemBehaviour(field);
    if (typeof item === 'string') return item;
    const isLookups = isLookupList(field);
    if (isLookups && (field.maxlength ?? 0) > lookupElementsMax)
      return `is an array of lookups, which has at most ${lookupElementsMax} elements: \`maxlength\` must be no more`;
    return {
      parse: (input) => parseElements(item, isLookups ? lookupElementsMax : Number.POSITIVE_INFINITY, input),
      check: (value) => lengths.check(value) ?? checkElements(item, value),
      ...stepsOfElements(item),
      ...containsElement(item, field),
      schema: {
        type: 'array',
        items: item.schema,
        ...(isLookups ? { maxItems: lookupElementsMax } : {}),
        ...lengths.schema,
      },
      ...(item.isSearchable === true ? { isSearchable: true } : {}),
    };
  },
};

const elements: BoundMeasure = {
  unit: 'elements',
  count: (value) => (Array.isArray(value) ? value.length : undefined),
  minimum: 'minItems',
  maximum: 'maxItems',
};

function itemType({ colType = stringType.colType }: ItemDefinition): FieldType | undefined {
  return plainTypes.find((type) => type.colType === colType);
}

/** An element is read as a field of its own would be, and is checked where the array is. */
function itemBehaviour({ name, validate = false, items = {} }: FieldDefinition): FieldBehaviour | string {
  const behaviour = itemType(items)?.behave({ ...items, name, validate });
  if (behaviour === undefined) return `cannot have \`items\` of the colType \`${items.colType}\``;
  return typeof behaviour === 'string' ? `has \`items\` of which each ${behaviour}` : behaviour;
}

function parseElements(
  item: FieldBehaviour,
  elementsMax: number,
  input: unknown,
): { value: FieldValue } | ValueProblem {
  if (!Array.isArray(input)) return wrongType('an array');
  if (input.length > elementsMax) return { code: 'too_long', message: `must have at most ${elementsMax} elements` };
  const values: FieldValue[] = [];
  const problems: ValueProblem[] = [];
  for (const [index, element] of input.entries()) {
    const parsed = item.parse(element);
    if (!isValueProblem(parsed)) values.push(parsed.value);
    else if (problems.push(ofElement(index, parsed)) === problemsMax) break;
  }
  return problems.length > 0 ? ofElements(problems) : { value: values };
}

function checkElements(item: FieldBehaviour, value: FieldValue): ValueProblem | undefined {
  if (item.check === undefined || !Array.isArray(value)) return undefined;
  const problems: ValueProblem[] = [];
  for (const [index, element] of value.entries()) {
    const problem = item.check(element);
    if (problem !== undefined && problems.push(ofElement(index, problem)) === problemsMax) break;
  }
  return problems.length > 0 ? ofElements(problems) : undefined;
}

function stepsOfElements({ checkSteps }: FieldBehaviour): Pick<FieldBehaviour, 'checkSteps'> {
  if (checkSteps === undefined) return {};
  const sum = (elements: readonly unknown[]): number =>
    elements.reduce((all: number, element) => all + checkSteps(element as FieldValue), 0);
  return { checkSteps: (value) => (Array.isArray(value) ? sum(value) : 0) };
}

/** A refusal names no more than these. */
const problemsMax = 100;

function ofElement(index: number, problem: ValueProblem): ValueProblem {
  return { code: problem.code, message: `(index ${index}) ${problem.message}`, pointer: `/${index}` };
}

function ofElements(parts: readonly ValueProblem[]): ValueProblem {
  return { code: 'invalid_elements', message: 'has invalid elements', parts };
}

/** `contains` asks for an element that equals the value; elements without a query text cannot be asked for. */
function containsElement({ parseQuery }: FieldBehaviour, field: FieldDefinition): Pick<FieldBehaviour, 'contains'> {
  if (parseQuery === undefined) return {};
  const encode = isLookupList(field) ? itemType(field.items ?? {})?.encode : undefined;
  const contains = (text: string): Contained | ValueProblem => {
    const parsed = parseQuery(text);
    if (isValueProblem(parsed)) return parsed;
    const { value: wanted } = parsed;
    if (encode !== undefined) {
      // As the index has them.
      const isIn = (value: FieldValue): boolean => elementIds(value).includes(String(wanted));
      return { value: wanted, encoded: encode(wanted), isIn };
    }
    return { value: wanted, isIn: (value) => Array.isArray(value) && value.includes(wanted) };
  };
  return { contains };
}

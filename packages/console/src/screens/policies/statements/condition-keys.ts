/** What conditions can ask for, and of which kind the values are, so that operators that fit come first. */
import {
  conditionOperators,
  existsSuffix,
  type OperandKind,
  setQualifiers,
} from '@freehold/contract/condition-operators';

export interface KeyInfo {
  readonly key: string;
  readonly about: string;
  readonly kind: OperandKind;
  readonly isList?: true;
  /** The values that there are, if they are few. */
  readonly values?: readonly string[];
}

/** A field of an entity, as far as conditions ask for it. */
export interface ConditionField {
  readonly name: string;
  readonly colType: string;
  readonly enumValues?: readonly string[] | undefined;
}

const requestKeys: readonly KeyInfo[] = [
  { key: 'user.id', about: 'the id of the caller', kind: 'text' },
  { key: 'user.email', about: 'the email of the caller, as written at sign-up', kind: 'text' },
  { key: 'tenant.code', about: 'the code of the workspace', kind: 'text' },
  { key: 'tenant.id', about: 'the id of the workspace', kind: 'text' },
  { key: 'jwt.email_verified', about: 'whether the email is proved', kind: 'boolean' },
  { key: 'request.ip', about: 'the address of the caller', kind: 'address' },
  { key: 'request.origin', about: 'the origin of the page that calls', kind: 'text' },
  { key: 'request.time', about: 'the time of the server', kind: 'date' },
  { key: 'request.method', about: 'the HTTP method', kind: 'text', values: ['GET', 'POST', 'PUT', 'DELETE'] },
  { key: 'request.path', about: 'the path, as in resources', kind: 'pattern' },
  { key: 'request.pathParameters.entity', about: 'the entity of the path', kind: 'text' },
  { key: 'request.pathParameters.id', about: 'the record id of the path', kind: 'text' },
];

const envelope: readonly ConditionField[] = [
  { name: 'id', colType: 'guid' },
  { name: 'created_by', colType: 'guid' },
  { name: 'updated_by', colType: 'guid' },
  { name: 'created_at', colType: 'datetime' },
  { name: 'updated_at', colType: 'datetime' },
];

const kinds: Readonly<Record<string, OperandKind>> = {
  number: 'number',
  integer: 'number',
  autoincrement: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'date',
};

/** The keys that fit a statement about entities with these fields, grouped for a picker. */
export function keyGroups(
  fields: readonly ConditionField[],
): readonly { readonly group: string; readonly keys: readonly KeyInfo[] }[] {
  const ofRecord = [...new Map([...envelope, ...fields].map((field) => [field.name, field])).values()];
  return [
    { group: 'The record', keys: ofRecord.map((field) => keyOf('record.', field, 'of the record')) },
    { group: 'The caller and the request', keys: requestKeys },
    { group: 'What was sent', keys: fields.map((field) => keyOf('request.body.', field, 'of the body that was sent')) },
    {
      group: 'The record before an update',
      keys: ofRecord.map((field) => keyOf('record.before.', field, 'of the record as the update finds it')),
    },
    {
      group: 'The record after an update',
      keys: ofRecord.map((field) => keyOf('record.after.', field, 'of the record as the update leaves it')),
    },
  ];
}

function keyOf(prefix: string, { name, colType, enumValues }: ConditionField, about: string): KeyInfo {
  return {
    key: prefix + name,
    about: `the field ${name} ${about}`,
    kind: kinds[colType] ?? 'text',
    ...(colType === 'array' ? { isList: true } : {}),
    ...(enumValues === undefined ? {} : { values: enumValues }),
  };
}

/** What a key asks for; undefined of a free key, such as a claim. */
export function infoOf(key: string, groups: ReturnType<typeof keyGroups>): KeyInfo | undefined {
  return groups.flatMap(({ keys }) => keys).find((info) => info.key.toLowerCase() === key.toLowerCase());
}

/** An operator taken apart: `ForAnyValue:StringLike`, `BoolIfExists`. */
export interface OperatorParts {
  readonly qualifier: string;
  readonly base: string;
  readonly isIfExists: boolean;
}

export function partsOf(operator: string): OperatorParts {
  const qualifier = Object.keys(setQualifiers).find((prefix) => operator.startsWith(prefix)) ?? '';
  const rest = operator.slice(qualifier.length);
  const isIfExists = rest.endsWith(existsSuffix) && rest in conditionOperators === false;
  return { qualifier, base: isIfExists ? rest.slice(0, -existsSuffix.length) : rest, isIfExists };
}

export function operatorOf({ qualifier, base, isIfExists }: OperatorParts): string {
  return qualifier + base + (isIfExists ? existsSuffix : '');
}

/** When a condition holds, as a sentence. */
export function meaningOf(operator: string): string {
  const { qualifier, base, isIfExists } = partsOf(operator);
  const described = conditionOperators[base];
  if (described === undefined) return `There is no operator ${operator}.`;
  const missing =
    base === 'Null'
      ? ''
      : isIfExists || (described.isNegated === true && qualifier === '')
        ? ' It also holds if there is no value.'
        : ' It does not hold if there is no value.';
  const several =
    qualifier === '' ? '' : ` Of several values: ${setQualifiers[qualifier as keyof typeof setQualifiers]}.`;
  return `Holds if the value ${described.meaning}.${several}${qualifier === 'ForAllValues:' ? '' : missing}`;
}

/** The operators in the order in which they are offered for a kind of value: those that fit first. */
export function operatorsFor(
  kind: OperandKind | undefined,
): readonly { readonly group: string; readonly items: string[] }[] {
  const names = Object.keys(conditionOperators);
  const like: readonly unknown[] = kind === 'text' || kind === 'pattern' ? ['text', 'pattern'] : [kind];
  const fits = names.filter((name) => name === 'Null' || like.includes(conditionOperators[name]?.operand));
  if (kind === undefined) return [{ group: 'Operators', items: names }];
  return [
    { group: 'Fit the value', items: fits },
    { group: 'Others', items: names.filter((name) => !fits.includes(name)) },
  ];
}

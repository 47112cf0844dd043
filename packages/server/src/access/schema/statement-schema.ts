/** The JSON Schema of the `statements` of a policy, made from the tables and limits by which they are read. */
import { anyOf, arrayOf, closedObjectOf, type JsonSchema, orListOf, text } from '../../lib/json-schema.ts';
import { decimalPattern, momentPattern } from '../conditions/compared-values.ts';
import { existsSuffix, type Operand, operandsByName, qualifiers } from '../conditions/operators.ts';
import { termsMax, valuesMax } from '../conditions/read-condition.ts';
import { contextKeyPattern, inAnyCase, keyLengthMax } from '../context/context-key.ts';
import { fieldPatternLengthMax, fieldsMax, patternLengthMax, patternStarsMax } from '../mistakes.ts';
import type { Effect } from '../truth.ts';
import { actionPattern } from '../verbs.ts';

/** `bytesMax` is measured on the statements as JSON without white space, in UTF-8. */
export const policyLimits = { statementsMax: 50, bytesMax: 10 * 1024 } as const;

/** In characters. A stored statement may have a longer one. */
export const sidMax = 128;

/** Without controls, line separators and direction marks: what could make a label seem another, or break its line. */
const sidPattern = '^[^\\x00-\\x1f\\x7f-\\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$';

const effects: readonly Effect[] = ['Allow', 'Deny'];

const role = `${inAnyCase('jwt')}\\.${inAnyCase('role')}`;
const variableKey = contextKeyPattern({ character: '[^,}]', part: '[^.,}]' });
const variable = `\\{(?:[*?$]|${variableKey}(?:, *'[^'}]*' *)?)\\}`;
/** Texts with variables, without anchors. */
const template = `(?:[^$]|\\$+(?:[^\${]|${variable}))*\\$*`;
/** A variable without its end, and one of the role. */
const unfitVariables = `\\$\\{[^}]*\\$\\{|\\$\\{${role}[.,}]`;
const unfitPattern = `(?:\\*+[^*]+){${patternStarsMax}}\\*`;

const pattern: JsonSchema = { ...text, maxLength: patternLengthMax };
const scalars: JsonSchema = anyOf([{ type: 'number' }, { type: 'boolean' }]);
const decimals: readonly JsonSchema[] = [{ type: 'number' }, { ...text, pattern: decimalPattern }];
const number4 = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';

/** The names allowed in a condition, by the type that its operator compares. */
const operands: Readonly<Record<Operand, JsonSchema>> = {
  text: anyOf([{ ...text, pattern: `^${template}$`, not: { pattern: unfitVariables } }, scalars]),
  pattern: anyOf([
    { ...pattern, pattern: `^${template}$`, not: { pattern: `${unfitVariables}|${unfitPattern}` } },
    scalars,
  ]),
  number: anyOf(decimals),
  date: anyOf([{ ...text, format: 'date' }, { ...text, format: 'date-time', pattern: momentPattern }, ...decimals]),
  boolean: anyOf([{ type: 'boolean' }, { ...text, enum: ['true', 'false'] }]),
  address: anyOf([
    { ...text, format: 'ipv4' },
    { ...text, format: 'ipv6' },
    { ...text, pattern: `^(?:${number4}\\.){3}${number4}/(?:3[0-2]|[12]?[0-9])$` },
    { ...text, pattern: '^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])$' },
  ]),
};

const operandNames: Readonly<Record<Operand, string>> = {
  text: 'PolicyTexts',
  pattern: 'PolicyPatterns',
  number: 'PolicyNumbers',
  date: 'PolicyDates',
  boolean: 'PolicyBooleans',
  address: 'PolicyAddresses',
};

/** Each name under which a condition may have an operator, with what it compares. */
const conditionNames: readonly (readonly [name: string, operand: Operand])[] = [
  ...operandsByName.flatMap(([name, operand]) => {
    const prefixed = qualifiers.map(([prefix]) => prefix + name);
    return [name, name + existsSuffix, ...prefixed].map((full) => [full, operand] as const);
  }),
  ['Null', 'boolean'],
];

/**
 * The schemas of policies by their names. They refuse no statements that are taken, and take few that are refused: those
 * of which one member contradicts another, and what is too long as a whole.
 * @param referTo how one of them refers to another, by its name.
 */
export function statementSchemas(referTo: (name: string) => JsonSchema): Readonly<Record<string, JsonSchema>> {
  const values = Object.entries(operands).map(([kind, schema]): [string, JsonSchema] => [
    operandNames[kind as Operand],
    { type: 'object', propertyNames: referTo('PolicyKey'), additionalProperties: orListOf(schema, valuesMax) },
  ]);
  return {
    PolicyStatements: {
      ...arrayOf(referTo('PolicyStatement')),
      maxItems: policyLimits.statementsMax,
      description: `At most ${policyLimits.bytesMax / 1024} KiB as JSON. No two have the same \`Sid\`.`,
    },
    PolicyStatement: closedObjectOf(membersOf(referTo), ['Sid', 'Condition', 'Fields', 'Mode']),
    PolicyCondition: {
      ...closedObjectOf(
        Object.fromEntries(conditionNames.map(([name, operand]) => [name, referTo(operandNames[operand])])),
        conditionNames.map(([name]) => name),
      ),
      description: `By operator the keys that it compares, each with a value or several. At most ${termsMax} keys in all, each of which has to hold.`,
    },
    PolicyKey: {
      ...text,
      maxLength: keyLengthMax,
      pattern: `^${contextKeyPattern({ character: '[\\s\\S]', part: '[^.]' })}$`,
      not: { pattern: `\\$\\{|^${role}(?:\\.|$)` },
      description: 'What is compared, such as `record.owner_id`, `request.ip` or `user.id`; never the role.',
    },
    ...Object.fromEntries(values),
  };
}

function membersOf(referTo: (name: string) => JsonSchema) {
  return {
    Sid: { ...text, maxLength: sidMax, pattern: sidPattern, description: 'A label.' },
    Effect: { ...text, enum: effects },
    Action: orListOf({
      ...pattern,
      pattern: actionPattern,
      not: { pattern: unfitPattern },
      description: 'A verb and the name of an entity, with `*` and `?`: `getorder`, `list*`, `*`.',
    }),
    Resource: orListOf({
      ...pattern,
      pattern: `^[/*]${template}$`,
      not: { pattern: `${unfitVariables}|${unfitPattern}` },
      description: 'A path with `*` and `?`, such as `/item/order/*`.',
    }),
    Condition: referTo('PolicyCondition'),
    Fields: {
      ...arrayOf({ ...text, minLength: 1, maxLength: fieldPatternLengthMax, pattern: '^(?:[^!]|![\\s\\S])' }),
      minItems: 1,
      maxItems: fieldsMax,
      description: 'The fields that it is limited to; `!` before those that are left out.',
    },
    Mode: { ...text, enum: ['report'], description: 'Decided and recorded, and never enforced.' },
  };
}

export const statementMembers: readonly string[] = Object.keys(membersOf(() => ({})));

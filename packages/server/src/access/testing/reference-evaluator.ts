import type { AccessContext } from '../context/context.ts';
import { type ConditionEntry, entryHolds, readCondition } from './reference-condition.ts';
import { inSmallLetters, isLabel } from './reference-letters.ts';
import { isTwofold, type PatternSymbol, patternFits, readPieces, resolve, withWildcards } from './reference-pattern.ts';

export interface ReferenceRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: AccessContext;
}

export interface ReferenceRuling {
  readonly outcome: 'allowed' | 'explicit_deny' | 'implicit_deny';
  /** Whether the statements that matched leave the field to the caller. Means something where `outcome` is `allowed`. */
  readonly mayUse: (field: string) => boolean;
}

/**
 * A second opinion for the tests: decides a request in the plainest way, from the rules alone, with all of the context
 * known. It shares nothing with the engine and must stay so; it may be as slow as it likes.
 */
export function referenceRuling(policies: readonly unknown[], request: ReferenceRequest): ReferenceRuling {
  return ruleByReference(readByReference(policies), request);
}

/** The statements of all policies. What is no list at all is read as one broken statement. */
export function readByReference(policies: readonly unknown[]): readonly ReferenceStatement[] {
  return policies.flatMap((policy) => (Array.isArray(policy) ? policy : [undefined]).map(readStatement));
}

export function ruleByReference(statements: readonly ReferenceStatement[], request: ReferenceRequest): ReferenceRuling {
  const matched = statements.filter((statement) => takesEffect(statement, request));
  const allows = matched.filter(({ effect }) => effect === 'Allow');
  const denies = matched.filter(({ effect }) => effect === 'Deny');
  const namesOf = (field: string) => request.context.naming?.byName.get(field) ?? [field];
  return {
    outcome: denies.some(({ fields }) => fields === undefined)
      ? 'explicit_deny'
      : allows.length > 0
        ? 'allowed'
        : 'implicit_deny',
    mayUse: (field) =>
      allows.some(({ fields }) => fields === undefined || isAmong(fields, namesOf(field), 'Allow')) &&
      !denies.some(({ fields }) => fields === undefined || isAmong(fields, namesOf(field), 'Deny')),
  };
}

export function referenceDecision(policies: readonly unknown[], action: string, resource: string): string {
  return referenceRuling(policies, { action, resource, context: bareContext }).outcome;
}

/** Both texts as lists of code points, `*` and `?` in the first one being wildcards. */
export function globFits(glob: readonly string[], subject: readonly string[]): boolean {
  return patternFits(withWildcards(glob.join('')), subject);
}

const bareContext: AccessContext = {
  request: { method: '', path: '', pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 },
  user: { id: '', email: '' },
  tenant: { id: '', code: '' },
  jwt: {},
};

export interface ReferenceStatement {
  readonly isBroken: boolean;
  readonly effect: 'Allow' | 'Deny';
  /** `undefined` stands for everything. */
  readonly actions: readonly string[] | undefined;
  readonly resources: readonly string[] | undefined;
  readonly entries: readonly ConditionEntry[];
  readonly fields: readonly string[] | undefined;
}

const everything = {
  isBroken: true,
  actions: undefined,
  resources: undefined,
  entries: [],
  fields: undefined,
} as const;
const nothing = { ...everything, effect: 'Allow', actions: [] } as const;

/** Reads a stored statement: a broken Allow grants nothing, any other broken one denies what it may. */
function readStatement(statement: unknown): ReferenceStatement {
  if (statement === null || typeof statement !== 'object' || Array.isArray(statement)) {
    return { ...everything, effect: 'Deny' };
  }
  const members = new Map<string, unknown>(Object.entries(statement));
  const known = ['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Fields'];
  const isForeign = [...members.keys()].some((name) => !known.includes(name));
  const effect = members.get('Effect') === 'Allow' ? 'Allow' : 'Deny';
  const actions = textsIn(members.get('Action'), (text) => !text.includes('$' + '{'));
  const resources = textsIn(members.get('Resource'), (text) => readPieces(text) !== undefined);
  const entries = members.has('Condition') ? readCondition(members.get('Condition')) : [];
  const fields = members.has('Fields') ? textsIn(members.get('Fields'), (text) => text !== '') : undefined;
  const isBroken =
    isForeign ||
    (members.get('Effect') !== 'Allow' && members.get('Effect') !== 'Deny') ||
    !isSid(members.get('Sid')) ||
    [actions, resources, entries, fields].includes('unreadable') ||
    (members.has('Fields') && !Array.isArray(members.get('Fields')));
  if (isBroken && effect === 'Allow') return nothing;
  if (isForeign) return { ...everything, effect };
  return {
    isBroken,
    effect,
    actions: actions === 'unreadable' ? undefined : actions,
    resources: resources === 'unreadable' ? undefined : resources,
    entries: isBroken || entries === 'unreadable' ? [] : entries,
    fields: isBroken || fields === 'unreadable' ? undefined : fields,
  };
}

/** A text, or a list of at least one. */
function textsIn(value: unknown, isSound: (text: string) => boolean): readonly string[] | 'unreadable' {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.filter((item) => typeof item === 'string');
  return list.length === 0 || texts.length < list.length || !texts.every(isSound) ? 'unreadable' : texts;
}

function isSid(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && isLabel(value));
}

function takesEffect(statement: ReferenceStatement, request: ReferenceRequest): boolean {
  return (
    reaches(statement, request) &&
    statement.entries.every((entry) => entryHolds(entry, statement.effect, request.context))
  );
}

/** Whether Action and Resource match; the Condition may still say otherwise. */
export function reaches({ actions, resources, effect }: ReferenceStatement, request: ReferenceRequest): boolean {
  const action = Array.from(inSmallLetters(request.action));
  const resource = Array.from(request.resource);
  return (
    (actions === undefined || actions.some((text) => patternFits(withWildcards(inSmallLetters(text)), action))) &&
    (resources === undefined ||
      resources.some((text) => {
        // It is not known which resources are meant: an Allow is then of none, and a Deny of all that could be.
        if (effect === 'Allow' && isTwofold(text, request.context)) return false;
        return fits(resolved(text, request.context), resource);
      }))
  );
}

function resolved(text: string, context: AccessContext): readonly PatternSymbol[] | undefined {
  return resolve(readPieces(text) ?? [], context, 'wildcards');
}

function fits(pattern: readonly PatternSymbol[] | undefined, subject: readonly string[]): boolean {
  return pattern !== undefined && patternFits(pattern, subject);
}

/**
 * Some pattern takes a name of the field, or there are only exclusions; and none excludes it. In a Deny a pattern with
 * wildcards excludes it only where it fits all names.
 */
function isAmong(fields: readonly string[], names: readonly string[], effect: 'Allow' | 'Deny'): boolean {
  const excluded = fields.filter((text) => text.startsWith('!')).map((text) => text.slice(1));
  const included = fields.filter((text) => !text.startsWith('!'));
  const fits = (text: string) => names.filter((name) => globFits(Array.from(text), Array.from(name)));
  const takes = (text: string) => fits(text).length > 0;
  const excludes = (text: string) =>
    effect === 'Allow' || !/[*?]/.test(text) ? takes(text) : fits(text).length === names.length;
  return (included.length === 0 || included.some(takes)) && !excluded.some(excludes);
}

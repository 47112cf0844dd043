import { foldAscii, type Verb } from '../../access/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { actionParts } from '../decisions/action-parts.ts';
import { type Finding, type KnownRequest, type LintedPolicy, type LintedStatement, mayMatch } from './linted-policy.ts';

/** Conditions on a state of the record where there is none, and an update that is limited by where it begins alone. */
export function findWrongStates(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const terms = statement.terms.flatMap((term) => {
      const state = stateIn(term.key);
      return state === undefined ? [] : [{ ...term, state }];
    });
    if (terms.length === 0) return [];
    const asked = askedBy(policy, statement);
    return [...terms.flatMap((term) => ofTerm(statement, term, { asked, policy })), ...ofUpdate(statement, asked)];
  });
}

type State = 'before' | 'after';

interface StateTerm {
  readonly operator: string;
  readonly key: string;
  readonly state: State;
}

interface Asked {
  readonly asked: readonly KnownRequest[];
  readonly policy: LintedPolicy;
}

const verbsWith: Readonly<Record<State, readonly Verb[]>> = {
  before: ['update', 'delete'],
  after: ['update', 'create'],
};

/** The state that a key names; undefined for any other key. */
export function stateIn(key: string): State | undefined {
  const [, state] = /^record\.(before|after)\../i.exec(key) ?? [];
  return state === undefined ? undefined : (foldAscii(state) as State);
}

function askedBy({ requests, effort }: LintedPolicy, { actions }: LintedStatement): readonly KnownRequest[] {
  return requests.filter(({ action }) => actions.some((pattern) => mayMatch(pattern, action, effort)));
}

function ofTerm(
  { pointer }: LintedStatement,
  { operator, key, state }: StateTerm,
  { asked, policy }: Asked,
): readonly Finding[] {
  const at = `${pointer}/Condition${pointerTo(operator, key)}`;
  const names = new Set(asked.map(({ entityName }) => entityName));
  const field = policy.entities
    .filter(({ name }) => names.has(name))
    .find(({ fields }) => [...fields].some((name) => foldAscii(name) === state));
  if (field !== undefined) {
    const message = `entity \`${field.name}\` has a field \`${state}\`: there \`${key}\` is a member of its value, and no state of the record`;
    return [warning('state_is_field', at, message)];
  }
  const verbs = [...new Set(asked.flatMap(({ action }) => actionParts(action)?.verb ?? []))];
  const others = verbs.filter((verb) => !verbsWith[state].includes(verb));
  if (others.length === 0) return [];
  const message = `\`${key}\` has no value in ${others.map((verb) => `\`${verb}\``).join(', ')}: only ${verbsWith[state].join(' and ')} have the state`;
  return [warning('state_missing', at, message)];
}

/** An Allow that says nothing of how the update leaves the record allows the caller to leave it to anybody. */
function ofUpdate({ Effect, pointer, terms }: LintedStatement, asked: readonly KnownRequest[]): readonly Finding[] {
  const isOfUpdate = asked.some(({ action }) => actionParts(action)?.verb === 'update');
  const saysMore = terms.some(({ key }) => /^record\./i.test(key) && stateIn(key) !== 'before');
  if (Effect !== 'Allow' || !isOfUpdate || saysMore) return [];
  const message = 'the update may leave the record with any values: say what holds of `record.after` too';
  return [warning('state_after_open', `${pointer}/Condition`, message)];
}

function warning(code: string, pointer: string, message: string): Finding {
  return { severity: 'warning', code, pointer, message };
}

import { foldAscii } from '../../lib/fold-ascii.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { decisionSteps } from '../effort.ts';
import { collapseStars, compileGlob } from '../patterns/glob.ts';
import { stepsPerCharacter } from '../patterns/glob-search.ts';
import { withoutVariables } from '../template.ts';
import { actionParts, type Verb } from '../verbs.ts';
import {
  type Finding,
  type LintedPolicy,
  type LintedRequest,
  type LintedStatement,
  mayMatch,
  warning,
} from './linted-policy.ts';

/** Conditions on a state of the record where there is none, and an update that is limited by where it begins alone. */
export function findWrongStates(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const terms = statement.terms.flatMap((term) => {
      const state = stateIn(term.key);
      return state === undefined ? [] : [{ ...term, state }];
    });
    if (terms.length === 0) return [];
    const requests = requestsOf(policy, statement);
    return [
      ...terms.flatMap((term) => ofTerm(statement, term, { requests, policy })),
      ...ofUpdate(statement, requests),
    ];
  });
}

type State = 'before' | 'after';

interface StateTerm {
  readonly operator: string;
  readonly key: string;
  readonly state: State;
}

interface Requested {
  readonly requests: readonly LintedRequest[];
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

function requestsOf({ requests, effort }: LintedPolicy, { actions }: LintedStatement): readonly LintedRequest[] {
  return requests.filter(({ action }) => actions.some((pattern) => mayMatch(pattern, action, effort)));
}

function ofTerm(
  { pointer }: LintedStatement,
  { operator, key, state }: StateTerm,
  { requests, policy }: Requested,
): readonly Finding[] {
  const at = `${pointer}/Condition${pointerTo(operator, key)}`;
  const names = new Set(requests.map(({ entityName }) => entityName));
  const field = policy.entities
    .filter(({ name }) => names.has(name))
    .find(({ fields }) => [...fields].some((name) => foldAscii(name) === state));
  if (field !== undefined) {
    const message = `entity \`${field.name}\` has a field \`${state}\`: there \`${key}\` is a member of its value, and no state of the record`;
    return [warning('state_is_field', at, message)];
  }
  const verbs = [...new Set(requests.flatMap(({ action }) => actionParts(action)?.verb ?? []))];
  const others = verbs.filter((verb) => !verbsWith[state].includes(verb));
  if (others.length === 0) return [];
  const message = `\`${key}\` has no value in ${others.map((verb) => `\`${verb}\``).join(', ')}: only ${verbsWith[state].join(' and ')} have the state`;
  return [warning('state_missing', at, message)];
}

/** An Allow that says nothing of how the update leaves the record allows the caller to leave it to anybody. */
function ofUpdate({ Effect, pointer, terms }: LintedStatement, requests: readonly LintedRequest[]): readonly Finding[] {
  const isOfUpdate = requests.some(({ action }) => actionParts(action)?.verb === 'update');
  const saysMore = terms.some(({ key }) => /^record\./i.test(key) && stateIn(key) !== 'before');
  if (Effect !== 'Allow' || !isOfUpdate || saysMore) return [];
  const message = 'the update may leave the record with any values: say what holds of `record.after` too';
  return [warning('state_after_open', `${pointer}/Condition`, message)];
}

/** Conditions of an Allow that hold where the value they are about is missing: the statement then gives more than it says. */
export function findHeldByMissing({ statements }: LintedPolicy): readonly Finding[] {
  return statements.filter(({ Effect }) => Effect === 'Allow').flatMap(findInStatement);
}

type Term = LintedStatement['terms'][number];

function findInStatement({ pointer, terms }: LintedStatement): readonly Finding[] {
  return terms.flatMap((term) => {
    const { operator, key } = term;
    if (isAlwaysThere(key) || isDemanded(terms, key)) return [];
    const at = `${pointer}/Condition/${operator}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const remedy = `say \`"Null": {"${key}": "false"}\` beside it`;
    if (operator.startsWith('ForAllValues:'))
      return [
        {
          ...warning('for_all_values', at, `\`${operator}\` holds where \`${key}\` is missing or empty: ${remedy}`),
          severity: 'error',
        },
      ];
    if (!isNegated(operator)) return [];
    if (operator.endsWith('IfExists'))
      return [
        warning(
          'negated_if_exists',
          at,
          `\`${operator}\` means the same without \`IfExists\`: a negated operator holds where \`${key}\` is missing`,
        ),
      ];
    return [warning('negated_missing', at, `\`${operator}\` holds where \`${key}\` is missing: ${remedy}`)];
  });
}

function isNegated(operator: string): boolean {
  return /Not(?:Equals|Like|IpAddress)/.test(operator);
}

/** Every request has them. */
function isAlwaysThere(key: string): boolean {
  return /^(?:request\.(?:method|path|ip|time|pathparameters\.entity)|user\.|tenant\.)/.test(foldAscii(key));
}

/** Whether another term demands that the key is there. */
function isDemanded(terms: readonly Term[], key: string): boolean {
  return terms.some(
    (term) => term.operator === 'Null' && foldAscii(term.key) === foldAscii(key) && term.expected.join() === 'false',
  );
}

interface Comparisons {
  readonly key: string;
  /** The position of the first of them. */
  readonly pointer: string;
  readonly patternCount: number;
  readonly stepsPerCharacter: number;
}

/** Values as long as they may be, compared with so many patterns that a decision would take more than one may. */
export function findOverBudget({ statements }: LintedPolicy): readonly Finding[] {
  const byKey = new Map<string, Comparisons>();
  for (const { pointer, terms } of statements.filter(({ isReportOnly }) => !isReportOnly))
    for (const { operator, key, expected } of terms) {
      if (!/Like(?:IfExists)?$/.test(operator)) continue;
      const folded = foldAscii(key);
      const known = byKey.get(folded);
      byKey.set(folded, {
        key: known?.key ?? key,
        pointer: known?.pointer ?? `${pointer}/Condition${pointerTo(operator, key)}`,
        patternCount: (known?.patternCount ?? 0) + expected.length,
        stepsPerCharacter: expected.reduce((sum, text) => sum + stepsOf(text), known?.stepsPerCharacter ?? 0),
      });
    }
  return [...byKey.values()].flatMap(findingOf);
}

function stepsOf(text: string): number {
  return stepsPerCharacter(compileGlob(collapseStars(withoutVariables(text))).symbols);
}

function findingOf({ key, pointer, patternCount, stepsPerCharacter }: Comparisons): readonly Finding[] {
  const charactersMax = Math.floor(decisionSteps / stepsPerCharacter);
  if (charactersMax >= longestOf(key)) return [];
  const message = `\`${key}\` is compared with ${patternCount} patterns: where it has more than ${charactersMax} characters a decision exceeds its budget; each Deny then counts as matching, and no Allow does`;
  return [{ severity: charactersMax < usualMax ? 'warning' : 'info', code: 'over_budget', pointer, message }];
}

/** Few texts are longer. */
const usualMax = 64 * 1024;

/** A value of a body or a record may be as long as a body; most others come with the headers. */
function longestOf(key: string): number {
  const folded = foldAscii(key);
  if (/^(?:record|request\.body)\./.test(folded)) return 1024 * 1024;
  return /^(?:user|tenant)\./.test(folded) ? 512 : 16 * 1024;
}

import { foldAscii } from '../../lib/fold-ascii.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { isSpent, spend } from '../effort.ts';
import { compileGlob, type Glob, matchesGlob } from '../patterns/glob.ts';
import {
  type Finding,
  type LintedEntity,
  type LintedPolicy,
  type LintedStatement,
  mayMatch,
  warning,
} from './linted-policy.ts';
import { stateIn } from './values.ts';

/** Conditions and `Fields` about what no entity has that the statement is about, and comparisons of several values with one. */
export function findWrongFields(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const entities = entitiesOf(policy, statement);
    return entities.length === 0
      ? []
      : [...ofTerms(statement, entities, policy), ...ofFields(statement, entities, policy)];
  });
}

/** The entities that a statement is about. */
function entitiesOf(policy: LintedPolicy, { actions }: LintedStatement): readonly LintedEntity[] {
  const requests = policy.requests.filter((request) =>
    actions.some((action) => mayMatch(action, request.action, policy.effort)),
  );
  const names = new Set(requests.map(({ entityName }) => entityName));
  return policy.entities.filter(({ name }) => names.has(name));
}

const envelope: readonly string[] = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

type LintEffort = Pick<LintedPolicy, 'effort'>;

function ofTerms(
  { pointer, terms }: LintedStatement,
  entities: readonly LintedEntity[],
  budget: LintEffort,
): readonly Finding[] {
  return terms.flatMap(({ operator, key }) => {
    const [, field] = /^(?:record|request\.body)\.([^.]+)/i.exec(withoutState(key, entities)) ?? [];
    if (field === undefined) return [];
    const at = `${pointer}/Condition${pointerTo(operator, key)}`;
    if (!entities.some((entity) => mayHaveField(entity, foldAscii(field), budget)))
      return [warning('unknown_field', at, `no entity that the statement is about has a field \`${field}\``)];
    const isList = entities.some(({ lists }) => lists.has(field)) && !key.endsWith(`.${field}.`);
    if (!isList || operator.includes(':') || operator === 'Null') return [];
    const message = `\`${field}\` holds several values, which \`${operator}\` cannot judge: put \`ForAnyValue:\` or \`ForAllValues:\` before it`;
    return [warning('needs_set_qualifier', at, message)];
  });
}

/** The key as it is without the state of the record that it names, where no field has that name. */
function withoutState(key: string, entities: readonly LintedEntity[]): string {
  const state = stateIn(key);
  const isField = entities.some(({ fields }) => [...fields].some((field) => foldAscii(field) === state));
  return state === undefined || isField ? key : `record.${key.split('.').slice(2).join('.')}`;
}

function mayHaveField({ fields }: LintedEntity, folded: string, { effort }: LintEffort): boolean {
  if (envelope.includes(folded) || !spend(effort, fields.size)) return true;
  return [...fields].some((field) => foldAscii(field) === folded);
}

function ofFields(
  { pointer, fields = [] }: LintedStatement,
  entities: readonly LintedEntity[],
  budget: LintEffort,
): readonly Finding[] {
  return fields.flatMap((pattern, index) => {
    const glob = compileGlob(pattern.replace(/^!/, ''));
    if (entities.some((entity) => mayMatchField(entity, glob, budget))) return [];
    const message = `no entity that the statement is about has a field like \`${pattern}\``;
    return [warning('unknown_field', `${pointer}/Fields/${index}`, message)];
  });
}

function mayMatchField({ fields }: LintedEntity, glob: Glob, { effort }: LintEffort): boolean {
  const names = [...fields, ...envelope];
  return !spend(effort, names.length) || names.some((name) => matchesGlob(glob, name, effort)) || isSpent(effort);
}

/** The names of a field, its present one first. */
type FormerNames = readonly string[];

/** Fields that are called by earlier names or aliases, and exceptions of a Deny that do not hold for such a field. */
export function findRenamed(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const entities = entitiesOf(policy, statement);
    const renamed = entities.flatMap((entity) => entity.renamed);
    const names = renamed.reduce((sum, list) => sum + list.length, 0);
    const uses = statement.terms.length + (statement.fields?.length ?? 0);
    if (names === 0 || !spend(policy.effort, names * uses)) return [];
    return [...renamedTerms(statement, renamed, entities), ...renamedFields(statement, renamed, policy)];
  });
}

function renamedTerms(
  { pointer, terms }: LintedStatement,
  renamed: readonly FormerNames[],
  entities: readonly LintedEntity[],
): readonly Finding[] {
  return terms.flatMap(({ operator, key }) => {
    const named = /^(?:record|request\.body|request\.queryparameters)\.([^.]+)/i;
    const [, field] = named.exec(withoutState(key, entities)) ?? [];
    if (field === undefined) return [];
    const folded = foldAscii(field.replace(/_op$/i, ''));
    return renamed
      .filter(([present = '', ...others]) => {
        return foldAscii(present) !== folded && others.some((other) => foldAscii(other) === folded);
      })
      .map(([present = '']) => called(`${pointer}/Condition${pointerTo(operator, key)}`, key, present));
  });
}

function renamedFields(
  { pointer, Effect, fields = [] }: LintedStatement,
  renamed: readonly FormerNames[],
  { effort }: Pick<LintedPolicy, 'effort'>,
): readonly Finding[] {
  return fields.flatMap((pattern, index) => {
    const isExclusion = pattern.startsWith('!');
    const glob = compileGlob(isExclusion ? pattern.slice(1) : pattern);
    const matches = (name: string): boolean => matchesGlob(glob, name, effort) && !isSpent(effort);
    const at = `${pointer}/Fields/${index}`;
    return renamed.flatMap((names) => {
      const [present = '', ...others] = names;
      const unmatched = names.find((name) => !matches(name));
      if (unmatched === undefined || !names.some(matches)) return [];
      if (isExclusion && Effect === 'Deny' && !isLiteral(glob))
        return [noException(at, pattern, { present, unmatched })];
      return unmatched === present && others.some(matches) ? [called(at, pattern, present)] : [];
    });
  });
}

function isLiteral({ kind }: Glob): boolean {
  return kind === 'literal';
}

function called(pointer: string, name: string, present: string): Finding {
  const message = `\`${name}\` means field \`${present}\`, which was called otherwise before`;
  return { severity: 'info', code: 'renamed_field', pointer, message };
}

function noException(
  pointer: string,
  pattern: string,
  { present, unmatched }: { readonly present: string; readonly unmatched: string },
): Finding {
  const message = `\`${pattern}\` is no exception for field \`${present}\`, since it does not match its name \`${unmatched}\`: say \`!${present}\``;
  return { severity: 'warning', code: 'renamed_exception', pointer, message };
}

/** Allows to write a lookup whose records no Allow of the policy lets the holder get: a new reference to one is refused. */
export function findUnreadableReferences(policy: LintedPolicy): readonly Finding[] {
  const allows = policy.statements.filter(({ Effect, isReportOnly }) => Effect === 'Allow' && !isReportOnly);
  const allowed = (action: string): boolean =>
    allows.some(({ actions }) => actions.some((pattern) => mayMatch(pattern, action, policy.effort)));
  const unreadable = new Map(
    policy.entities.map(({ name, references }) => [
      name,
      references.filter(({ entity }) => !allowed(foldAscii(`get${entity}`))),
    ]),
  );
  return allows.flatMap((statement) => ofStatement(policy, statement, unreadable));
}

type UnreadableReferences = ReadonlyMap<string, LintedPolicy['entities'][number]['references']>;

function ofStatement(
  policy: LintedPolicy,
  { actions }: LintedStatement,
  unreadable: UnreadableReferences,
): readonly Finding[] {
  return actions.flatMap((action) => {
    const written = policy.entities.find(
      ({ name }) =>
        (unreadable.get(name)?.length ?? 0) > 0 &&
        ['create', 'update'].some((verb) => mayMatch(action, foldAscii(verb + name), policy.effort)),
    );
    const [first] = written === undefined ? [] : (unreadable.get(written.name) ?? []);
    if (written === undefined || first === undefined) return [];
    const message = `\`${first.field}\` of \`${written.name}\` refers to a record of \`${first.entity}\`, and the policy allows no \`get${first.entity}\`: without it a new reference is refused`;
    return [{ severity: 'info', code: 'unreadable_reference', pointer: action.pointer, message } as const];
  });
}

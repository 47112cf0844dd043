import { compileGlob, foldAscii, type Glob, isSpent, matchesGlob, spend } from '../../access/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { type Finding, type LintedEntity, type LintedPolicy, type LintedStatement, mayMatch } from './linted-policy.ts';
import { stateIn } from './states.ts';

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
export function entitiesOf(policy: LintedPolicy, { actions }: LintedStatement): readonly LintedEntity[] {
  const asked = policy.requests.filter((request) =>
    actions.some((action) => mayMatch(action, request.action, policy.effort)),
  );
  const names = new Set(asked.map(({ entityName }) => entityName));
  return policy.entities.filter(({ name }) => names.has(name));
}

const envelope: readonly string[] = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

type Budget = Pick<LintedPolicy, 'effort'>;

function ofTerms(
  { pointer, terms }: LintedStatement,
  entities: readonly LintedEntity[],
  budget: Budget,
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
export function withoutState(key: string, entities: readonly LintedEntity[]): string {
  const state = stateIn(key);
  const isField = entities.some(({ fields }) => [...fields].some((field) => foldAscii(field) === state));
  return state === undefined || isField ? key : `record.${key.split('.').slice(2).join('.')}`;
}

function mayHaveField({ fields }: LintedEntity, folded: string, { effort }: Budget): boolean {
  if (envelope.includes(folded) || !spend(effort, fields.size)) return true;
  return [...fields].some((field) => foldAscii(field) === folded);
}

function ofFields(
  { pointer, fields = [] }: LintedStatement,
  entities: readonly LintedEntity[],
  budget: Budget,
): readonly Finding[] {
  return fields.flatMap((pattern, index) => {
    const glob = compileGlob(pattern.replace(/^!/, ''));
    if (entities.some((entity) => mayMatchField(entity, glob, budget))) return [];
    const message = `no entity that the statement is about has a field like \`${pattern}\``;
    return [warning('unknown_field', `${pointer}/Fields/${index}`, message)];
  });
}

function mayMatchField({ fields }: LintedEntity, glob: Glob, { effort }: Budget): boolean {
  const names = [...fields, ...envelope];
  return !spend(effort, names.length) || names.some((name) => matchesGlob(glob, name, effort)) || isSpent(effort);
}

function warning(code: string, pointer: string, message: string): Finding {
  return { severity: 'warning', code, pointer, message };
}

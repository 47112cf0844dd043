import { compileGlob, foldAscii, matchesGlob } from '../../access/glob.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { type Finding, type LintedEntity, type LintedPolicy, type LintedStatement, mayMatch } from './linted-policy.ts';

/** Conditions and `Fields` about what no entity has that the statement is about, and comparisons of several values with one. */
export function findWrongFields(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const entities = entitiesOf(policy, statement);
    return entities.length === 0 ? [] : [...ofTerms(statement, entities), ...ofFields(statement, entities)];
  });
}

function entitiesOf(policy: LintedPolicy, { actions }: LintedStatement): readonly LintedEntity[] {
  const asked = policy.requests.filter((request) =>
    actions.some((action) => mayMatch(action, request.action, policy.effort)),
  );
  const names = new Set(asked.map(({ entityName }) => entityName));
  return policy.entities.filter(({ name }) => names.has(name));
}

const envelope: readonly string[] = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

function ofTerms({ pointer, terms }: LintedStatement, entities: readonly LintedEntity[]): readonly Finding[] {
  return terms.flatMap(({ operator, key }) => {
    const [, field] = /^(?:record|request\.body)\.([^.]+)/i.exec(key) ?? [];
    if (field === undefined) return [];
    const at = `${pointer}/Condition${pointerTo(operator, key)}`;
    if (!entities.some((entity) => hasField(entity, field)))
      return [warning('unknown_field', at, `no entity that the statement is about has a field \`${field}\``)];
    const isList = entities.some(({ lists }) => lists.has(field)) && !key.endsWith(`.${field}.`);
    if (!isList || operator.includes(':') || operator === 'Null') return [];
    const message = `\`${field}\` holds several values, which \`${operator}\` cannot judge: put \`ForAnyValue:\` or \`ForAllValues:\` before it`;
    return [warning('needs_set_qualifier', at, message)];
  });
}

function hasField({ fields }: LintedEntity, name: string): boolean {
  return envelope.includes(name) || [...fields].some((field) => foldAscii(field) === foldAscii(name));
}

function ofFields({ pointer, fields = [] }: LintedStatement, entities: readonly LintedEntity[]): readonly Finding[] {
  return fields.flatMap((pattern, index) => {
    const glob = compileGlob(pattern.replace(/^!/, ''));
    const isThere = entities.some((entity) =>
      [...entity.fields, ...envelope].some((field) => matchesGlob(glob, field)),
    );
    const message = `no entity that the statement is about has a field like \`${pattern}\``;
    return isThere ? [] : [warning('unknown_field', `${pointer}/Fields/${index}`, message)];
  });
}

function warning(code: string, pointer: string, message: string): Finding {
  return { severity: 'warning', code, pointer, message };
}

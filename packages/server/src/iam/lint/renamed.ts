import { compileGlob, foldAscii, type Glob, isSpent, matchesGlob, spend } from '../../access/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { entitiesOf, withoutState } from './fields.ts';
import type { Finding, LintedEntity, LintedPolicy, LintedStatement } from './linted-policy.ts';

/** The names of a field, its present one first. */
type Names = readonly string[];

/** Fields that are called by earlier names or aliases, and exceptions of a Deny that do not hold for such a field. */
export function findRenamed(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const entities = entitiesOf(policy, statement);
    const renamed = entities.flatMap((entity) => entity.renamed);
    const names = renamed.reduce((sum, list) => sum + list.length, 0);
    const uses = statement.terms.length + (statement.fields?.length ?? 0);
    if (names === 0 || !spend(policy.effort, names * uses)) return [];
    return [...ofTerms(statement, renamed, entities), ...ofFields(statement, renamed, policy)];
  });
}

function ofTerms(
  { pointer, terms }: LintedStatement,
  renamed: readonly Names[],
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

function ofFields(
  { pointer, Effect, fields = [] }: LintedStatement,
  renamed: readonly Names[],
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

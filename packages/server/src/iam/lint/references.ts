import { foldAscii } from '../../access/port.ts';
import { type Finding, type LintedPolicy, type LintedStatement, mayMatch } from './linted-policy.ts';

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

type Unreadable = ReadonlyMap<string, LintedPolicy['entities'][number]['references']>;

function ofStatement(policy: LintedPolicy, { actions }: LintedStatement, unreadable: Unreadable): readonly Finding[] {
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

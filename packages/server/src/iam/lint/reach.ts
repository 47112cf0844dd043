import { overlaps, type Pattern, readPattern, verbs } from '../../access/port.ts';
import {
  type Finding,
  type KnownRequest,
  type LintedPattern,
  type LintedPolicy,
  type LintedStatement,
  mayMatch,
} from './linted-policy.ts';

/**
 * Actions that no entity has, and actions and resources that never meet: such a statement does nothing, and a Deny that
 * does nothing protects nothing.
 */
export function findUnreached(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const asked = statement.actions.map((action) =>
      policy.requests.filter((request) => mayMatch(action, request.action, policy.effort)),
    );
    return [
      ...statement.actions.flatMap((action, index) =>
        unreachedAction(policy, statement, { action, asked: asked[index] ?? [] }),
      ),
      ...statement.resources.flatMap((resource) => unreachedResource(policy, resource, asked.flat())),
    ];
  });
}

interface AskedAction {
  readonly action: LintedPattern;
  readonly asked: readonly KnownRequest[];
}

function unreachedAction(
  policy: LintedPolicy,
  { resources }: LintedStatement,
  { action, asked }: AskedAction,
): readonly Finding[] {
  const { pointer, text } = action;
  if (asked.length === 0)
    return [
      {
        severity: 'warning',
        code: 'unknown_entity',
        pointer,
        message: `\`${text}\` is not an action of any entity`,
      },
    ];
  const isReached = asked.some(({ paths }) => resources.some((resource) => meets(policy, resource, paths)));
  if (isReached) return [];
  const path = asked[0]?.paths[0]?.text;
  const message = `the statement has no resource that \`${text}\` applies to, such as \`${path}\``;
  return [{ severity: 'warning', code: 'never_matches', pointer, message }];
}

function unreachedResource(
  policy: LintedPolicy,
  resource: LintedPattern,
  asked: readonly KnownRequest[],
): readonly Finding[] {
  if (asked.length === 0 || asked.some(({ paths }) => meets(policy, resource, paths))) return [];
  const { pointer, text } = resource;
  const shorter = text.endsWith('/*') ? text.slice(0, -2) : undefined;
  const isTooDeep = shorter !== undefined && asked.some(({ paths }) => meetsText(policy, shorter, paths));
  const hint = isTooDeep ? `: \`${text}\` does not match \`${shorter}\`, which has no \`/\` after it` : '';
  const message = `no action of the statement applies to \`${text}\`${hint}`;
  return [{ severity: 'warning', code: isTooDeep ? 'slash_star' : 'never_matches', pointer, message }];
}

function meets({ effort }: LintedPolicy, { reach }: LintedPattern, paths: readonly Pattern[]): boolean {
  return paths.some((path) => overlaps(reach, path, effort));
}

function meetsText({ effort }: LintedPolicy, text: string, paths: readonly Pattern[]): boolean {
  const pattern = readPattern(text);
  return paths.some((path) => overlaps(pattern, path, effort));
}

/** A star right behind the name of an entity reaches the entities whose names begin with it as well. */
export function findFurtherReach({ statements, entities }: LintedPolicy): readonly Finding[] {
  const names = entities.map(({ name }) => name);
  return statements.flatMap(({ actions, resources }) =>
    [...actions, ...resources].flatMap(({ pointer, text }) => {
      const meant = names.find((name) => isNameAndStar(text, name));
      const further = names.filter((name) => meant !== undefined && name !== meant && name.startsWith(meant));
      if (further.length === 0) return [];
      const message = `\`${text}\` also reaches \`${further.slice(0, 3).join('`, `')}\``;
      return [{ severity: 'info', code: 'reaches_further', pointer, message } as const];
    }),
  );
}

function isNameAndStar(pattern: string, name: string): boolean {
  const start = pattern.slice(0, -1);
  if (`${start}*` !== pattern || start.includes('*')) return false;
  return start.startsWith('/') ? start.endsWith(`/${name}`) : verbs.some((verb) => start === verb + name);
}

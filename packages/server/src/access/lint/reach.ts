import { covers, overlaps, type Pattern, readPattern } from '../cover/cover-pattern.ts';
import { verbs } from '../verbs.ts';
import {
  type Finding,
  type LintedPattern,
  type LintedPolicy,
  type LintedRequest,
  type LintedRoute,
  type LintedStatement,
  mayMatch,
} from './linted-policy.ts';

/**
 * Actions that no entity has, and actions and resources that never meet: such a statement does nothing, and a Deny that
 * does nothing protects nothing.
 */
export function findUnreached(policy: LintedPolicy): readonly Finding[] {
  return policy.statements.flatMap((statement) => {
    const requests = statement.actions.map((action) =>
      policy.requests.filter((request) => mayMatch(action, request.action, policy.effort)),
    );
    return [
      ...statement.actions.flatMap((action, index) =>
        unreachedAction(policy, statement, { action, requests: requests[index] ?? [] }),
      ),
      ...statement.resources.flatMap((resource) => unreachedResource(policy, resource, requests.flat())),
    ];
  });
}

interface RequestedAction {
  readonly action: LintedPattern;
  readonly requests: readonly LintedRequest[];
}

function unreachedAction(
  policy: LintedPolicy,
  { resources }: LintedStatement,
  { action, requests }: RequestedAction,
): readonly Finding[] {
  const { pointer, text } = action;
  if (requests.length === 0)
    return [
      {
        severity: 'warning',
        code: 'unknown_entity',
        pointer,
        message: `\`${text}\` is not an action of any entity`,
      },
    ];
  const isReached = requests.some(({ paths }) => resources.some((resource) => meets(policy, resource, paths)));
  if (isReached) return [];
  const path = requests[0]?.paths[0]?.text;
  const message = `the statement has no resource that \`${text}\` applies to, such as \`${path}\``;
  return [{ severity: 'warning', code: 'never_matches', pointer, message }];
}

function unreachedResource(
  policy: LintedPolicy,
  resource: LintedPattern,
  requests: readonly LintedRequest[],
): readonly Finding[] {
  if (requests.length === 0 || requests.some(({ paths }) => meets(policy, resource, paths))) return [];
  const { pointer, text } = resource;
  const shorter = text.endsWith('/*') ? text.slice(0, -2) : undefined;
  const isTooDeep = shorter !== undefined && requests.some(({ paths }) => meetsText(policy, shorter, paths));
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

/** Allows that change nothing: a Deny takes away all that they give, or another Allow of the policy gives it too. */
export function findShadowed(policy: LintedPolicy): readonly Finding[] {
  const { statements } = policy;
  return statements.flatMap((statement, index): readonly Finding[] => {
    if (statement.Effect === 'Deny') return [];
    const others = statements.filter(
      (other, position) =>
        other !== statement &&
        (statement.isReportOnly || !other.isReportOnly) &&
        covered(policy, other, statement) &&
        !(other.Effect === 'Allow' && position > index && covered(policy, statement, other)),
    );
    const deny = others.find(({ Effect }) => Effect === 'Deny');
    const allow = others.find(({ Effect }) => Effect === 'Allow');
    const { pointer } = statement;
    if (deny !== undefined) {
      const message = `the Deny at \`${deny.pointer}\` denies all that this statement allows`;
      return [{ severity: 'warning', code: 'shadowed_by_deny', pointer, message }];
    }
    if (allow === undefined) return [];
    const message = `the statement at \`${allow.pointer}\` allows all of this as well`;
    return [{ severity: 'info', code: 'redundant', pointer, message }];
  });
}

/** A wider statement has neither condition nor fields, so that it applies wherever the narrower one does. */
function covered(policy: LintedPolicy, wide: LintedStatement, narrow: LintedStatement): boolean {
  if (wide.terms.length > 0 || wide.fields !== undefined) return false;
  return (
    narrow.actions.every((action) => coveredBy(policy, wide.actions, action)) &&
    narrow.resources.every((resource) => coveredBy(policy, wide.resources, resource))
  );
}

function coveredBy({ effort }: LintedPolicy, wide: readonly LintedPattern[], narrow: LintedPattern): boolean {
  return wide.some((pattern) => pattern.text === narrow.text || coversAll(pattern, narrow.reach));

  function coversAll(pattern: LintedPattern, reach: Pattern): boolean {
    // The value of a variable is not known, so a pattern with one covers nothing but itself.
    return !pattern.text.includes('$') && covers(pattern.reach, reach, effort);
  }
}

/** Allows that give more than most people mean to. */
export function findBroad(policy: LintedPolicy): readonly Finding[] {
  return policy.statements
    .filter(({ Effect, terms, isReportOnly }) => Effect === 'Allow' && terms.length === 0 && !isReportOnly)
    .flatMap((statement) => (isEverything(statement) ? [everything(statement)] : grantsOfAccess(policy, statement)));
}

function isEverything({ actions, resources, fields }: LintedStatement): boolean {
  const isAny = ({ text }: LintedPattern): boolean => text === '*';
  return fields === undefined && actions.some(isAny) && resources.some(isAny);
}

function everything({ pointer }: LintedStatement): Finding {
  const message = 'allows everything, including changes of policies: its holder is an administrator';
  return { severity: 'warning', code: 'allows_everything', pointer, message };
}

/** A pattern that names none of the entities of access control, and writes them all the same. */
function grantsOfAccess(policy: LintedPolicy, { actions, resources }: LintedStatement): readonly Finding[] {
  return actions.flatMap((action) => {
    const { text, pointer } = action;
    if (policy.systemEntities.some((name) => text.includes(name))) return [];
    const written = policy.systemEntities.filter(saysWhoMay).flatMap((name) =>
      (['create', 'update', 'delete'] as const)
        .filter((verb) => {
          const isMatched = mayMatch(action, verb + name, policy.effort);
          return isMatched && resources.some((resource) => mayMatch(resource, pathOf(verb, name), policy.effort));
        })
        .map((verb) => verb + name),
    );
    const [first] = written;
    if (first === undefined) return [];
    const message = `\`${text}\` covers \`${first}\` as well: its holder may change who may do what`;
    return [{ severity: 'warning', code: 'writes_access_control', pointer, message } as const];
  });
}

/** Whether its records say who may do what. */
function saysWhoMay(systemEntity: string): boolean {
  return systemEntity !== 'user' && systemEntity !== 'userrole';
}

function pathOf(verb: 'create' | 'update' | 'delete', name: string): string {
  return verb === 'create' ? `/create/${name}` : `/${verb}/${name}/00000000-0000-0000-0000-000000000000`;
}

/** Actions on records that are actions of routes about the workspace as well. */
export function findRouteActions(policy: LintedPolicy): readonly Finding[] {
  const stored = new Set(policy.entities.map(({ name }) => name));
  return policy.statements.flatMap((statement) =>
    statement.actions.flatMap((action) => {
      const reached = policy.routes.filter((one) => isReached(policy, statement, { action, one }));
      return [...sharedName(action, reached, stored), ...furtherRoutes(statement, action, reached)];
    }),
  );
}

interface Requested {
  readonly action: LintedPattern;
  readonly one: LintedRoute;
}

function isReached({ effort }: LintedPolicy, { resources }: LintedStatement, { action, one }: Requested): boolean {
  if (!mayMatch(action, one.action, effort)) return false;
  return resources.some((resource) => mayMatch(resource, one.path.replaceAll('*', someId), effort));
}

const someId = '00000000-0000-0000-0000-000000000000';

/** An entity from a time when it could have the name. */
function sharedName(
  { text, pointer }: LintedPattern,
  reached: readonly LintedRoute[],
  stored: ReadonlySet<string>,
): readonly Finding[] {
  const shared = reached.find(({ name }) => stored.has(name));
  if (shared === undefined) return [];
  const { action, name, method, path } = shared;
  const message = `\`${text}\` is about records of the entity \`${name}\` and about \`${method} ${path}\`: both are \`${action}\`, so name in \`Resource\` what is meant`;
  return [{ severity: 'warning', code: 'shared_action', pointer, message }];
}

/** An Allow whose wildcard lets its holder change the workspace. Of `*` on `*` another rule says so. */
function furtherRoutes(
  { Effect, terms, isReportOnly, fields, resources }: LintedStatement,
  { text, pointer }: LintedPattern,
  reached: readonly LintedRoute[],
): readonly Finding[] {
  if (Effect !== 'Allow' || terms.length > 0 || isReportOnly) return [];
  if (text === '*' && fields === undefined && resources.some((resource) => resource.text === '*')) return [];
  const written = reached.filter(({ method, name }) => method !== 'GET' && !text.includes(name));
  if (written.length === 0) return [];
  const routes = [...new Set(written.map(({ method, path }) => `\`${method} ${path}\``))].join(', ');
  const message = `\`${text}\` reaches ${routes} as well: its holder may change the workspace itself`;
  return [{ severity: 'warning', code: 'reaches_workspace', pointer, message }];
}

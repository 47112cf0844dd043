import { type RouteAction, routeActions } from '@freehold/contract/route-actions';
import {
  type Finding,
  type LintedPattern,
  type LintedPolicy,
  type LintedStatement,
  mayMatch,
} from './linted-policy.ts';

/** Actions on records that are actions of routes about the workspace as well. */
export function findRouteActions(policy: LintedPolicy): readonly Finding[] {
  const stored = new Set(policy.entities.map(({ name }) => name));
  return policy.statements.flatMap((statement) =>
    statement.actions.flatMap((action) => {
      const reached = routeActions.filter((one) => isReached(policy, statement, { action, one }));
      return [...sharedName(action, reached, stored), ...furtherRoutes(statement, action, reached)];
    }),
  );
}

interface Asked {
  readonly action: LintedPattern;
  readonly one: RouteAction;
}

function isReached({ effort }: LintedPolicy, { resources }: LintedStatement, { action, one }: Asked): boolean {
  if (!mayMatch(action, one.action, effort)) return false;
  return resources.some((resource) => mayMatch(resource, one.path.replaceAll('*', someId), effort));
}

const someId = '00000000-0000-0000-0000-000000000000';

/** An entity from a time when it could have the name. */
function sharedName(
  { text, pointer }: LintedPattern,
  reached: readonly RouteAction[],
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
  reached: readonly RouteAction[],
): readonly Finding[] {
  if (Effect !== 'Allow' || terms.length > 0 || isReportOnly) return [];
  if (text === '*' && fields === undefined && resources.some((resource) => resource.text === '*')) return [];
  const written = reached.filter(({ method, name }) => method !== 'GET' && !text.includes(name));
  if (written.length === 0) return [];
  const routes = [...new Set(written.map(({ method, path }) => `\`${method} ${path}\``))].join(', ');
  const message = `\`${text}\` reaches ${routes} as well: its holder may change the workspace itself`;
  return [{ severity: 'warning', code: 'reaches_workspace', pointer, message }];
}

import { systemEntityNames } from '../../schema/port.ts';
import { accessEntities } from './known-requests.ts';
import {
  type Finding,
  type LintedPattern,
  type LintedPolicy,
  type LintedStatement,
  mayMatch,
} from './linted-policy.ts';

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
    if (systemEntityNames.some((name) => text.includes(name))) return [];
    const written = accessEntities.flatMap((name) =>
      (['create', 'update', 'delete'] as const)
        .filter((verb) => {
          const isAsked = mayMatch(action, verb + name, policy.effort);
          return isAsked && resources.some((resource) => mayMatch(resource, pathOf(verb, name), policy.effort));
        })
        .map((verb) => verb + name),
    );
    const [first] = written;
    if (first === undefined) return [];
    const message = `\`${text}\` covers \`${first}\` as well: its holder may change who may do what`;
    return [{ severity: 'warning', code: 'writes_access_control', pointer, message } as const];
  });
}

function pathOf(verb: 'create' | 'update' | 'delete', name: string): string {
  return verb === 'create' ? `/create/${name}` : `/${verb}/${name}/00000000-0000-0000-0000-000000000000`;
}

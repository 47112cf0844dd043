import { routeActions } from '@freehold/contract/route-actions';
import { type Pattern, readPattern, verbs } from '../../access/port.ts';
import { systemEntityNames } from '../../schema/port.ts';
import type { KnownRequest, LintedEntity } from './linted-policy.ts';

/** Everything that the policies of an org are ever asked. @param blocks the names of its logic blocks. */
export function knownRequests(entities: readonly LintedEntity[], blocks: readonly string[]): readonly KnownRequest[] {
  return [
    ...entities.flatMap(({ name }) =>
      verbs.map((verb) => ({
        action: verb + name,
        entityName: name,
        paths: pathsOf[verb].map((path) => at(path, name)),
      })),
    ),
    ...workspaceRequests,
    ...blocks.map((name) => ({
      action: `run${name}`,
      entityName: undefined,
      paths: [readPattern(`/logicblocks/${name}`), readPattern(`/logicblocks/${name}/*`)],
    })),
  ];
}

const pathsOf = {
  get: ['/item/{entity}/*'],
  list: ['/list/{entity}', '/export/{entity}'],
  count: ['/count/{entity}'],
  create: ['/create/{entity}', '/import/{entity}'],
  update: ['/update/{entity}/*'],
  delete: ['/delete/{entity}/*'],
  browse: ['/list/{entity}', '/count/{entity}', '/export/{entity}'],
} as const;

function at(path: string, entityName: string): Pattern {
  return readPattern(path.replace('{entity}', entityName));
}

const workspaceRequests: readonly KnownRequest[] = routeActions.map(({ action, path }) => ({
  action,
  entityName: undefined,
  paths: [readPattern(path)],
}));

/** Whose records say who may do what. */
export const accessEntities: readonly string[] = systemEntityNames.filter(
  (name) => name !== 'user' && name !== 'userrole',
);

import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import type { ConfigSet } from '../config-set.ts';
import type { EntityDefinition } from '../definition.ts';
import { systemEntities } from '../system-entities.ts';

/** @throws Problem `validation_failed` where a lookup names no entity of the org, nor the one that is being defined. */
export function refuseUnknownTargets(set: ConfigSet, { entityName, UpdateParams }: EntityDefinition): void {
  const isKnown = (name: string): boolean =>
    name === entityName || set.active(name) !== undefined || systemEntities.has(name);
  const errors = UpdateParams.flatMap(({ name, lookup }, index): readonly InputError[] => {
    if (lookup === undefined || isKnown(lookup.entity)) return [];
    const message = `field \`${name}\` looks up \`${lookup.entity}\`, and there is no such entity`;
    return [{ pointer: `/UpdateParams/${index}/lookup/entity`, code: 'unknown_entity', message }];
  });
  if (errors.length > 0) throw invalidBody(errors);
}

import type { ListedSecret } from '@freehold/contract/management/secrets';
import type { Read } from '@freehold/contract/schema';
import { type ConfigReader, itemBodies, itemsOfKind } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { placedSteps } from '../kinds/logicblock-steps.ts';

type Reference = NonNullable<Read<typeof ListedSecret>['referenced_by']>[number];

/** Which live logic blocks of an org name which secrets. */
export type SecretReferences = (env: Environment, orgCode: string) => Promise<FoundReferences>;

interface FoundReferences {
  /** By the name of the secret, in the order of the blocks. */
  readonly byName: ReadonlyMap<string, readonly Reference[]>;
  /** Whether there are blocks that were not looked at. */
  readonly isPartial: boolean;
}

export interface SecretReferencesDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, Pick<ConfigReader, 'refresh'>>>;
}

const blocksMax = 1000;
/** A body has at most 256 KB. */
const bodiesPerRead = 10;

export function createSecretReferences({ stores, configs }: SecretReferencesDeps): SecretReferences {
  return async (env, orgCode) => {
    const scope = stores[env].scope(orgScopeName(orgCode));
    const blocks = itemsOfKind(await configs[env].refresh(orgCode), 'logicblock');
    const looked = blocks.toSorted((one, other) => compareBytes(one.name, other.name)).slice(0, blocksMax);
    const byName = new Map<string, Reference[]>();
    for (let start = 0; start < looked.length; start += bodiesPerRead) {
      const some = looked.slice(start, start + bodiesPerRead);
      const bodies = await itemBodies.readMany(scope, some);
      for (const [index, { name: logicblock }] of some.entries())
        for (const [secret, use] of namedIn(bodies[index]?.value as LogicBlockContent | undefined))
          byName.set(secret, [...(byName.get(secret) ?? []), { logicblock, use }]);
    }
    return { byName, isPartial: looked.length < blocks.length };
  };
}

/** Each secret once for its use. */
function namedIn(block: LogicBlockContent | undefined): readonly (readonly [string, Reference['use']])[] {
  if (block === undefined) return [];
  const inSteps = placedSteps(block.steps).flatMap(({ step }) =>
    step.type === 'http' && step.secret !== undefined ? [step.secret.name] : [],
  );
  return [
    ...[...new Set(block.hook?.secrets)].map((name) => [name, 'hook'] as const),
    ...[...new Set(inSteps)].map((name) => [name, 'http'] as const),
  ];
}

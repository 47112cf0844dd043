import { type ConfigReader, type ConfigSet, itemBodies } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { recordType } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import type { RecordTypes } from '../kinds/logicblock-expressions.ts';
import { placedSteps } from '../kinds/logicblock-steps.ts';
import { blockFailure } from './block-failure.ts';
import { compileBlock } from './compile-block.ts';
import type { CompiledBlock } from './effects.ts';

/** One version of a block. */
export interface BlockPlace {
  readonly env: Environment;
  readonly orgCode: string;
  readonly name: string;
  readonly version: number;
}

export interface StoredBlocks {
  /**
   * A block, ready to be run among the entities that are live. Undefined where no such version is stored.
   * @throws Problem `block_failed` for a content that cannot be run.
   */
  at(place: BlockPlace): Promise<CompiledBlock | undefined>;
}

export interface StoredBlocksDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** @param caller that with which the run begins. @throws Problem `block_failed`. */
export function assertMayCall(caller: Pick<CompiledBlock, 'isTransaction'>, { name, ...called }: CompiledBlock): void {
  if (called.isTransaction && !caller.isTransaction)
    throw blockFailure(`logic block \`${name}\` is a transaction, which only transactions call`);
  if (called.catches === true && caller.isTransaction)
    throw blockFailure(`logic block \`${name}\` has \`on_error\`, and a transaction catches no errors`);
}

interface Kept {
  readonly block: CompiledBlock;
  readonly characters: number;
}

/** Of the contents whose blocks are kept ready, all orgs together. */
const keptCharactersMax = 4 * 1024 * 1024;

export function createStoredBlocks({ stores, configs }: StoredBlocksDeps): StoredBlocks {
  const kept = new BoundedMap<string, Kept>(keptCharactersMax, ({ characters }) => characters);
  return {
    at: async ({ env, orgCode, name, version }) => {
      const config = await configs[env].current(orgCode);
      const key = [env, orgCode, name, version, config.version].join(' ');
      const before = kept.get(key);
      if (before !== undefined) return before.block;
      const stored = await itemBodies.read(stores[env].scope(orgScopeName(orgCode)), {
        kind: 'logicblock',
        name,
        version,
      });
      if (stored === undefined) return undefined;
      const content = stored.value as LogicBlockContent;
      const pause = createYielder({ org: orgCode, workspace: '' });
      const block = await compileBlock(content, { typeOf: await typesIn(config, content), pause });
      kept.set(key, { block, characters: JSON.stringify(content).length });
      return block;
    },
  };
}

/** Of the entities that the steps of a block name. */
export async function typesIn(config: ConfigSet, { steps }: LogicBlockContent): Promise<RecordTypes> {
  const names = new Set(placedSteps(steps).flatMap(({ step }) => ('entity' in step ? [step.entity] : [])));
  const entities = await Promise.all([...names].map((name) => config.entity(name)));
  const types = new Map(
    entities.flatMap((entity) =>
      entity === undefined ? [] : [[entity.name, recordType(entity.definition.UpdateParams)]],
    ),
  );
  return (name) => types.get(name);
}

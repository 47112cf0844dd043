/** The types of an app, for `createApp<Schema>()`. */
import { type EntityConfigs, readEntity } from './definition.ts';
import { entityType, schemaMember } from './entity-types.ts';
import { inputType, type LogicBlock } from './input-types.ts';
import { systemEntities } from './system-entities.ts';
import { objectType } from './type-text.ts';

export type { EntityConfigs } from './definition.ts';
export type { LogicBlock } from './input-types.ts';

export interface Definitions {
  /** Each as `GET /api/entity` returns it. */
  readonly entities: readonly EntityConfigs[];
  /** Left out, every block may be run with any input. */
  readonly logicBlocks?: readonly LogicBlock[];
}

const head = `/**
 * The types of an app, made from its definitions. Changes to this file are lost when it is made again.
 * Policies may keep fields from a user: a field that is always there may then be missing.
 */
`;

/**
 * The text of `freehold.d.ts`, a module that exports `Schema`. The same definitions give the same text, in whichever order
 * they come.
 */
export function generateTypes({ entities, logicBlocks }: Definitions): string {
  const all = [...systemEntities, ...entities].map(readEntity);
  const byName = new Map(all.toSorted((one, other) => byText(one.name, other.name)).map((one) => [one.name, one]));
  const members = [...byName.values()].map((entity) => schemaMember(entity.name, entityType(entity, byName)));
  if (logicBlocks !== undefined) members.push(schemaMember('$blocks', blocksType(logicBlocks)));
  return `${head}export interface Schema {\n${members.join('')}}\n`;
}

function blocksType(blocks: readonly LogicBlock[]): string {
  return objectType(
    blocks
      .toSorted((one, other) => byText(one.name, other.name))
      .map(({ name, input_schema = { type: 'object' } }) => ({ name, type: inputType(input_schema, '    ') })),
    '  ',
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

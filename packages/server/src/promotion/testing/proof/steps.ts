/** Promotion step by step, each compared with what it is to come to. */
import assert from 'node:assert/strict';
import { crashing, type Moment } from '../../../store/testing/failing-store.ts';
import { observe } from './observe.ts';
import { isSame } from './race.ts';
import { type Edit, edit, send } from './requests.ts';
import { assertTruthful } from './truthful.ts';
import type { TwoSpaces } from './two-spaces.ts';
import { after, type Request, type World } from './world.ts';

export interface Death {
  readonly calls: number;
  readonly when: Moment;
}

export type Step = { readonly edit: Edit } | { readonly request: Request; readonly death: Death | undefined };

export async function takeAll(spaces: TwoSpaces, all: readonly Step[]): Promise<World> {
  let world = await observe(spaces);
  for (const step of all) {
    world = 'edit' in step ? await takeEdit(spaces, world, step.edit) : await take(spaces, world, step);
    await assertTruthful(spaces, world);
  }
  return world;
}

async function takeEdit(spaces: TwoSpaces, world: World, one: Edit): Promise<World> {
  await edit(spaces, one);
  const { test: edited, ...production } = await observe(spaces);
  assert.deepEqual({ ...production, test: world.test }, world, 'an edit of test changes nothing in production');
  return { ...world, test: edited };
}

async function take(
  spaces: TwoSpaces,
  world: World,
  { request, death }: { readonly request: Request; readonly death: Death | undefined },
): Promise<World> {
  const { test: own, prod } = spaces.stores;
  const dying = death === undefined ? prod : crashing(prod, death.calls, death.when);
  const outcome = await send(spaces, spaces.node({ test: own, prod: dying }), request);
  const expected = after(world, request);
  const is = await observe(spaces);
  if (outcome !== 'crashed') assert.deepEqual({ outcome, world: is }, expected, JSON.stringify(request));
  else if (!isSame(is, world)) assert.deepEqual(is, expected.world, `${JSON.stringify(request)}, crashed`);
  return is;
}

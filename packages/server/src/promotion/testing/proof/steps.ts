/** Promotion step by step, each compared with what it is to come to. */
import assert from 'node:assert/strict';
import { crashing, type Moment } from '../../../store/testing/failing-store.ts';
import { after, type ModelState, type Request } from './model-state.ts';
import { observe } from './observe.ts';
import { isSame } from './race.ts';
import { type Edit, edit, send } from './requests.ts';
import { assertTruthful } from './truthful.ts';
import type { TwoSpaces } from './two-spaces.ts';

export interface Death {
  readonly calls: number;
  readonly when: Moment;
}

export type Step = { readonly edit: Edit } | { readonly request: Request; readonly death: Death | undefined };

export async function takeAll(spaces: TwoSpaces, all: readonly Step[]): Promise<ModelState> {
  let model = await observe(spaces);
  for (const step of all) {
    model = 'edit' in step ? await takeEdit(spaces, model, step.edit) : await take(spaces, model, step);
    await assertTruthful(spaces, model);
  }
  return model;
}

async function takeEdit(spaces: TwoSpaces, model: ModelState, one: Edit): Promise<ModelState> {
  await edit(spaces, one);
  const { test: edited, ...production } = await observe(spaces);
  assert.deepEqual({ ...production, test: model.test }, model, 'an edit of test changes nothing in production');
  return { ...model, test: edited };
}

async function take(
  spaces: TwoSpaces,
  model: ModelState,
  { request, death }: { readonly request: Request; readonly death: Death | undefined },
): Promise<ModelState> {
  const { test: own, prod } = spaces.stores;
  const dying = death === undefined ? prod : crashing(prod, death.calls, death.when);
  const outcome = await send(spaces, spaces.node({ test: own, prod: dying }), request);
  const expected = after(model, request);
  const is = await observe(spaces);
  if (outcome !== 'crashed') assert.deepEqual({ outcome, model: is }, expected, JSON.stringify(request));
  else if (!isSame(is, model)) assert.deepEqual(is, expected.model, `${JSON.stringify(request)}, crashed`);
  return is;
}

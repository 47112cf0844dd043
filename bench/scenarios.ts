import {
  type AppUser,
  act,
  appUrl,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
} from '../packages/acceptance/src/org.ts';
import type { Gateways } from '../packages/acceptance/src/platform.ts';

/** One kind of request, and what it may cost at most, in units of a bare `node:http` answer of the same size. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  readonly target: number;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path on the app gateway. */
  readonly path: string;
  readonly token: string;
  readonly body?: string;
  readonly status: number;
  /** Length of the platform's answer, which the bare server repeats. */
  readonly answerBytes: number;
}

export const scenarioNames = ['item', 'list', 'create'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

const records = 400;
const regions = 10;

/** Fills a workspace with records and describes the requests to be measured against it. */
export async function prepareScenarios(gateways: Gateways): Promise<readonly Scenario[]> {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(
    org,
    definition('order', [
      { name: 'title', colType: 'string', validate: true, maxlength: 100 },
      { name: 'region', colType: 'string', index: true },
      { name: 'amount', colType: 'number', validate: true, min: 0 },
      { name: 'note', colType: 'string' },
    ]),
  );
  let id = '';
  for (let index = 0; index < records; index++) {
    id = (await create(founder, 'order', order(index))).id;
  }
  const found = await count(founder, 'order', '?region=region-3');
  if (found !== records / regions) throw new Error(`the index holds ${found} records`);
  const body = JSON.stringify(order(records));
  return [
    await scenario(founder, { name: 'item', title: 'GET /item', target: 2, method: 'GET', path: `/item/order/${id}` }),
    await scenario(founder, {
      name: 'list',
      title: 'list of 20 by an index',
      target: 5,
      method: 'GET',
      path: '/list/order?region=region-3&pagesize=20',
    }),
    await scenario(founder, {
      name: 'create',
      title: 'durable create',
      target: 6,
      method: 'POST',
      path: '/create/order',
      body,
    }),
  ];
}

type Description = Pick<Scenario, 'name' | 'title' | 'target' | 'method' | 'path' | 'body'>;

/** Sends the request once, to learn the status and the length of the answer. */
async function scenario(user: AppUser, description: Description): Promise<Scenario> {
  const { method, path, body } = description;
  const reply = await act(user, method, path, { ...(body === undefined ? {} : { body }) });
  if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`);
  return {
    ...description,
    path: new URL(appUrl(user.org, path)).pathname + new URL(appUrl(user.org, path)).search,
    token: user.token,
    status: reply.status,
    answerBytes: Buffer.byteLength(reply.text),
  };
}

function order(index: number): Record<string, unknown> {
  return {
    title: `Order number ${index}`,
    region: `region-${index % regions}`,
    amount: 100 + index / 4,
    note: 'Please leave it with the neighbours when no one answers the door.',
  };
}

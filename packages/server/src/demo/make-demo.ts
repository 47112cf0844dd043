/**
 * Makes the demo through the platform's own API, as builders and app users would make it. Each step looks at what is
 * there first, so that a start goes on where an earlier one was killed.
 */

import { Refused } from './call.ts';
import { change, definitions, settings } from './help-desk.ts';
import { defineAutomation, useAutomation } from './make-automation.ts';
import { makeDesk, type Sessions } from './make-desk.ts';
import { desks } from './people.ts';
import { type App, type Builder, type Credentials, signUpOrIn, type Urls } from './sign-in.ts';

export interface Demo {
  readonly org: string;
  readonly builder: Credentials;
  /** The password of all users of the app. */
  readonly password: string;
  /** The time that the dates of its records are made from. */
  readonly made_at: string;
}

export interface MadeDemo {
  readonly builder: Builder;
  readonly clientId: string;
  /** In the order of the desks. */
  readonly sessions: readonly Sessions[];
}

/** @returns the client id of its test environment, and sessions of its builder and users. */
export async function makeDemo(urls: Urls, demo: Demo): Promise<MadeDemo> {
  const signUp = { name: 'Demo Builder', org_name: 'Demo', org_code: demo.org };
  const builder = await signUpOrIn(urls, { ...demo.builder, signUp });
  const { environments } = await builder.call('/org');
  const clientId = (environments as { readonly test: { readonly client_id: string } }).test.client_id;
  await configure(builder);
  const app: App = { base: `${urls.app}/app/${demo.org}`, clientId };
  const madeAt = Date.parse(demo.made_at);
  const sessions = await Promise.all(desks.map((desk) => makeDesk({ app, desk, password: demo.password, madeAt })));
  const [members] = sessions;
  if (members !== undefined) await useAutomation({ app, builder, workspace: desks[0].code, members });
  return { builder, clientId, sessions };
}

/** Settings, entities and automation, a release that makes them live in production, and a change since. */
async function configure(builder: Builder): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    const [group, key] = name.split('.');
    await builder.call('/org/settings', { method: 'PUT', body: { group, name: key, value } });
  }
  const defined = new Set((await builder.itemsOf('/api/entities')).map(({ name }) => name));
  for (const definition of definitions.filter(({ entityName }) => !defined.has(entityName)))
    await builder.call(`/api/create-${definition.entityName}`, { body: definition });
  await defineAutomation(builder);
  await builder.call('/user/provision-prod', { method: 'POST' });
  if ((await builder.itemsOf('/deploy/history')).length === 0) await release(builder);
  const { create } = await builder.call(`/api/entity?entityName=${change.entity}`);
  if (!JSON.stringify(create).includes(`"${change.field}"`))
    await builder.call(`/api/create-${change.entity}`, { method: 'PUT', body: change.body });
}

/** The rollback is refused, since there is nothing to go back to: the audit log tells of refusals too. */
async function release(builder: Builder): Promise<void> {
  await builder.call('/deploy/publish', { body: { all: true, note: 'the help desk' } });
  await builder.call('/deploy/activate', { body: { note: 'the help desk goes live' } });
  await builder.call('/deploy/rollback', { method: 'POST' }).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
  });
}

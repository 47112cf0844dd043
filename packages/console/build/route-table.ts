import { appApi } from '@freehold/contract/app';
import { managementApi } from '@freehold/contract/management';
import type { Route } from '@freehold/contract/route';
import type { Plugin } from 'vite';

const id = 'virtual:routes';

/**
 * The methods and paths of all described routes as a module. Their schemas stay on the server: the console has their
 * types, and their mistakes are reported by the replies.
 */
export function routeTable(): Plugin {
  const texts = [
    `export const managementRoutes = ${JSON.stringify(tableOf(managementApi))};`,
    `export const appRoutes = ${JSON.stringify(tableOf(appApi))};`,
  ];
  return {
    name: 'route-table',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) => (source === `\0${id}` ? texts.join('\n') : undefined),
  };
}

function tableOf(routes: Readonly<Record<string, Route>>): Readonly<Record<string, readonly [string, string]>> {
  return Object.fromEntries(Object.entries(routes).map(([name, { method, path }]) => [name, [method, path]]));
}

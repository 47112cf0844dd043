/**
 * `node packages/client/build/route-table.ts`: writes the methods and paths of the management API as a module, from the
 * descriptions of its routes. The client has their types, and not their schemas.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { managementApi } from '@freehold/contract/management';
import type { Route } from '@freehold/contract/route';

export const tablePath = join(import.meta.dirname, '..', 'src', 'management', 'routes.ts');

export function routeTable(): string {
  const rows = Object.entries<Route>(managementApi).map(([name, route]) => {
    const cells = [route.method, route.path, ...(isDoneOnce(route) ? ['once'] : [])];
    return `  ${name}: [${cells.map((cell) => `'${cell}'`).join(', ')}],\n`;
  });
  return `// Made by \`node packages/client/build/route-table.ts\` from the descriptions of the routes.
/** By name: the method and the path of a route, and \`once\` if a second attempt would be another call. */
export const managementRoutes: Readonly<Record<string, readonly [method: string, path: string, repeats?: 'once']>> = {
${rows.join('')}};
`;
}

/** A POST that no \`Idempotency-Key\` makes count once, and that is no read. */
function isDoneOnce({ method, repeats, isRead }: Route): boolean {
  return method === 'POST' && typeof repeats === 'object' && isRead !== true;
}

if (import.meta.main) writeFileSync(tablePath, routeTable());

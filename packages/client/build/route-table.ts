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
    const accept = acceptOf(route);
    const repeats = isDoneOnce(route) ? 'once' : '';
    const cells = [route.method, route.path, ...(accept !== '' || repeats !== '' ? [repeats] : [])];
    if (accept !== '') cells.push(accept);
    return `  ${name}: [${cells.map((cell) => `'${cell}'`).join(', ')}],\n`;
  });
  return `// Made by \`node packages/client/build/route-table.ts\` from the descriptions of the routes.
type Row = readonly [method: string, path: string, repeats?: 'once' | '', accept?: string];

/**
 * By name: the method and the path of a route, \`once\` if a second attempt would be another call, and the media types of
 * its reply if it has no JSON.
 */
export const managementRoutes: Readonly<Record<string, Row>> = {
${rows.join('')}};
`;
}

/** A POST that no \`Idempotency-Key\` makes count once, and that is no read. */
function isDoneOnce({ method, repeats, isRead }: Route): boolean {
  return method === 'POST' && typeof repeats === 'object' && isRead !== true;
}

function acceptOf({ replies }: Route): string {
  const described = Object.values(replies);
  if (described.some(({ schema, content = {} }) => schema !== undefined || 'application/json' in content)) return '';
  return described.flatMap(({ content = {} }) => Object.keys(content)).join(', ');
}

if (import.meta.main) writeFileSync(tablePath, routeTable());
